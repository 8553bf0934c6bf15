// A history: one lane per client, operations as bars in their order, the longest order that
// explains the answers as numbered points, the operation that fits nowhere in red.
import { el, short, svg } from "./dom";
import type { Finding, Interval } from "./model";
import type { Child } from "./dom";

export interface Placed { op: Interval; number: number; bad: boolean } // number 0: not part of the reason

// Steps: the operations of the order, then the one that cannot be placed.
export function historySteps(f: Finding): number[] {
  const t = f.timeline!, order = t.order?.length ? t.order : t.intervals.map((_, i) => i).filter((i) => t.intervals[i].style === "");
  const bad = t.intervals.findIndex((i) => i.style === "failing");
  return [...order.filter((i) => i !== bad), ...(bad >= 0 ? [bad] : [])];
}

export function objection(f: Finding): string {
  const bad = f.timeline?.intervals.find((i) => i.style === "failing");
  return f.facts.find((x) => x.label === bad?.label)?.text ?? "";
}

// What hovering tells: a longest order that has the operation, or none.
function peekOf(f: Finding, op: number): number[] | null {
  const partial = f.timeline?.partial;
  return partial?.length ? partial[op]?.order ?? [] : null;
}

interface Drawn { middle: (i: Interval) => number; y: (lane: string) => number }

// The numbered points of an order and the lines between them, over a picture whose own are faded.
function partialOrder(f: Finding, op: number, d: Drawn): SVGElement[] {
  const t = f.timeline!, order = peekOf(f, op) ?? [], out: SVGElement[] = [];
  order.forEach((i, k) => {
    const b = t.intervals[i], a = k ? t.intervals[order[k - 1]] : null;
    if (a) out.unshift(svg("line", { x1: d.middle(a), y1: d.y(a.lane), x2: d.middle(b), y2: d.y(b.lane), class: "order" }));
    out.push(svg("circle", { cx: d.middle(b), cy: d.y(b.lane), r: 11, class: i === op ? "point here" : "point" }), svg("text", { x: d.middle(b), y: d.y(b.lane) + 4.5, "text-anchor": "middle", class: "inverse w" }, String(k + 1)));
  });
  return out;
}

// The object's state along the longest order, under the lanes.
function stateRow(f: Finding, steps: number[], step: number, top: number, left: number, right: number, d: Drawn): SVGElement[] {
  const t = f.timeline!, texts = t.states ?? [], out: SVGElement[] = [];
  if (!texts.length || texts.length !== t.order?.length) return out;
  // A box begins where its operation stands; one that is placed against time gets a place after the last.
  let from = left;
  const starts = texts.map((_, k) => (from = Math.max(from + 26, d.middle(t.intervals[steps[k]]))));
  out.push(svg("text", { x: 20, y: top - 6, class: "s" }, `${short(f.object || "the object", 24)}, along this order`));
  texts.forEach((text, k) => {
    const x1 = starts[k], x2 = Math.max(x1 + 24, k + 1 < texts.length ? starts[k + 1] : right);
    out.push(svg("g", { class: `state${k > step ? " fut" : ""}` }, svg("title", {}, text), svg("rect", { x: x1, y: top, width: x2 - x1 - 2, height: 26, rx: 5, class: "verdict" }),
      svg("text", { x: (x1 + x2) / 2 - 1, y: top + 17, "text-anchor": "middle", class: "m" }, short(text, Math.max(3, Math.floor((x2 - x1 - 8) / 7.4))))));
  });
  return out;
}

export function historyPicture(f: Finding, step: number, width: number, height: number, go: (step: number) => void, peek: (op: number | null) => void = () => {}): SVGElement {
  const t = f.timeline!, near = new Set(t.intervals), steps = historySteps(f);
  const span = [Math.min(...t.intervals.map((i) => i.start)), Math.max(...t.intervals.map((i) => i.end))];
  // Far operations of a long history would make the reason small: only those between are drawn.
  const others = (t.others ?? []).filter((o) => (t.others!.length <= 120 || (o.end >= span[0] && o.start <= span[1]))).slice(0, 400);
  const all = [...t.intervals, ...others], points = [...new Set(all.flatMap((i) => [i.start, i.end]))].sort((a, b) => a - b), rank = new Map(points.map((p, i) => [p, i]));
  const lanes = [...new Set([...all].sort((a, b) => a.lane.localeCompare(b.lane, "en", { numeric: true })).map((i) => i.lane))];
  const narrow = width < 480, left = narrow ? 56 : 78, dx = Math.max(narrow ? 15 : 30, (width - left - 24) / Math.max(points.length, 2)), dy = Math.max(62, Math.min(92, (height - 70) / Math.max(lanes.length, 1)));
  const full = Math.max(width, left + points.length * dx + 24), bottom = 48 + lanes.length * dy;
  const x = (p: number) => left + (rank.get(p)! + 0.3) * dx, y = (lane: string) => 72 + lanes.indexOf(lane) * dy;
  const below = t.states?.length && t.states.length === t.order?.length ? 64 : 20;
  const out = svg("svg", { viewBox: `0 0 ${full} ${bottom + below}`, width: full, height: bottom + below, class: "lanes history", role: "group", "aria-label": t.title });
  out.append(svg("text", { x: full - 20, y: 24, "text-anchor": "end", class: "s" }, "time →"));
  for (const lane of lanes) out.append(svg("line", { x1: left, x2: full - 12, y1: y(lane), y2: y(lane), class: "lane" }), svg("text", { x: 20, y: y(lane) + 4.5, class: "w" }, svg("title", {}, lane), short(lane, narrow ? 5 : 8)));
  const middle = (i: Interval) => (x(i.start) + Math.max(x(i.end), x(i.start) + dx * 0.8)) / 2;
  const links = svg("g", { class: "links" }), bars = svg("g"), over = svg("g", { class: "partial" }), drawn: Drawn = { middle, y };
  const show = (op: number | null) => {
    const order = op === null ? null : peekOf(f, op);
    out.classList.toggle("peeking", !!order?.length);
    over.replaceChildren(...(order ? partialOrder(f, op!, drawn) : []));
    peek(order ? op : null);
  };
  steps.forEach((i, k) => {
    if (!k) return;
    const a = t.intervals[steps[k - 1]], b = t.intervals[i], bad = b.style === "failing";
    links.append(svg("line", { x1: middle(a), y1: y(a.lane), x2: middle(b), y2: y(b.lane), class: `${bad ? "order bad" : "order"}${k > step ? " fut" : ""}` }));
  });
  for (const i of all) {
    const k = near.has(i) ? steps.indexOf(t.intervals.indexOf(i)) : -1, bad = i.style === "failing", late = k >= 0 && k > step;
    const x1 = x(i.start), w = Math.max(x(i.end) - x1, dx * 0.8), cls = bad ? "failing" : k >= 0 ? "placed" : i.style === "pending" ? "pending" : near.has(i) ? "" : "aside";
    const own = near.has(i) ? t.intervals.indexOf(i) : -1, peeks = own >= 0 && peekOf(f, own) !== null;
    const g = svg("g", { class: `operation ${cls}${late ? " fut" : ""}`, ...(k >= 0 ? { "data-row": k + 1 } : {}), ...(peeks ? { tabindex: 0, role: "button", "aria-label": `${i.lane}: ${i.label}`, "data-op": own } : {}) }, svg("title", {}, `${i.lane}: ${i.label}${i.location ? " at " + i.location : ""}`),
      svg("rect", { x: x1, y: y(i.lane) - 16, width: w, height: 32, rx: 6 }), svg("text", { x: x1 + w / 2, y: y(i.lane) - 23, "text-anchor": "middle", class: bad ? "bad w halo" : k >= 0 ? "w halo" : "k halo" }, short(i.label, Math.max(7, Math.floor((w + dx * 0.7) / 7)))));
    if (k >= 0) g.append(svg("g", { class: "number" }, svg("circle", { cx: middle(i), cy: y(i.lane), r: 11, class: bad ? "point bad" : "point" }), svg("text", { x: middle(i), y: y(i.lane) + 4.5, "text-anchor": "middle", class: "inverse w" }, bad ? "✕" : String(k + 1))));
    if (k >= 0) g.addEventListener("click", () => go(k));
    if (peeks) {
      for (const on of ["pointerenter", "focus"]) g.addEventListener(on, () => show(own));
      for (const off of ["pointerleave", "blur"]) g.addEventListener(off, () => show(null));
    }
    bars.append(g);
  }
  const bad = t.intervals.find((i) => i.style === "failing");
  if (bad) links.append(svg("line", { x1: middle(bad), x2: middle(bad), y1: y(bad.lane) + 16, y2: bottom + (below > 20 ? 56 : 0), class: `wrong-at${step < steps.length - 1 ? " fut" : ""}` }));
  out.append(links, bars, over, ...stateRow(f, steps, step, bottom + 26, left, full - 16, drawn));
  return out;
}

function orderItem(number: string, op: Interval, state: string | undefined, cls: string, why: string): HTMLElement {
  return el("li", { class: cls }, el("em", {}, number), el("span", {}, el("b", {}, short(op.label, 40)), " ", el("small", {}, op.lane), why ? el("small", { class: "why" }, why) : null as Child),
    state !== undefined ? el("small", { class: "then", title: state }, "→ ", short(state, 16)) : null as Child);
}

// The longest order that has one operation, while that is hovered.
function partialBox(f: Finding, op: number): HTMLElement {
  const t = f.timeline!, order = peekOf(f, op) ?? [], states = t.partial?.[op]?.states ?? [], name = short(t.intervals[op].label, 28);
  const items = order.map((i, k) => orderItem(String(k + 1), t.intervals[i], states[k], i === op ? "now" : "", ""));
  return el("section", { class: "card box peek" }, el("header", {}, el("b", {}, order.length ? `A longest order with ${name}` : `No order has ${name}`), el("span", {}, f.object ?? "")),
    el("div", { class: "in" }, order.length ? el("ol", { class: "ord" }, ...items) : el("p", { class: "note" }, `Whatever comes before it, the object would answer otherwise.${objection(f) ? ` After the longest order it ${objection(f)}.` : ""}`)));
}

export function orderBox(f: Finding, step: number, go: (step: number) => void, op: number | null = null): HTMLElement {
  if (op !== null) return partialBox(f, op);
  const t = f.timeline!, steps = historySteps(f), why = objection(f);
  const items = steps.map((i, k) => {
    const bad = t.intervals[i].style === "failing";
    const li = orderItem(bad ? "✕" : String(k + 1), t.intervals[i], t.order?.length ? t.states?.[k] : undefined, `${bad ? "x" : ""} ${k > step ? "off" : k === step ? "now" : ""}`, bad ? why : "");
    li.addEventListener("click", () => go(k));
    return li;
  });
  return el("section", { class: "card box" }, el("header", {}, el("b", {}, t.order?.length ? "The longest order that works" : "The operations"), el("span", {}, f.object ?? "")), el("div", { class: "in" }, el("ol", { class: "ord" }, ...items)));
}
