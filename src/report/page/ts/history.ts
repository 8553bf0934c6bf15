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

export function historyPicture(f: Finding, step: number, width: number, height: number, go: (step: number) => void): SVGElement {
  const t = f.timeline!, near = new Set(t.intervals), steps = historySteps(f);
  const span = [Math.min(...t.intervals.map((i) => i.start)), Math.max(...t.intervals.map((i) => i.end))];
  // Far operations of a long history would make the reason small: only those between are drawn.
  const others = (t.others ?? []).filter((o) => (t.others!.length <= 120 || (o.end >= span[0] && o.start <= span[1]))).slice(0, 400);
  const all = [...t.intervals, ...others], points = [...new Set(all.flatMap((i) => [i.start, i.end]))].sort((a, b) => a - b), rank = new Map(points.map((p, i) => [p, i]));
  const lanes = [...new Set([...all].sort((a, b) => a.lane.localeCompare(b.lane, "en", { numeric: true })).map((i) => i.lane))];
  const narrow = width < 480, left = narrow ? 56 : 78, dx = Math.max(narrow ? 15 : 30, (width - left - 24) / Math.max(points.length, 2)), dy = Math.max(62, Math.min(92, (height - 70) / Math.max(lanes.length, 1)));
  const full = Math.max(width, left + points.length * dx + 24), bottom = 48 + lanes.length * dy;
  const x = (p: number) => left + (rank.get(p)! + 0.3) * dx, y = (lane: string) => 72 + lanes.indexOf(lane) * dy;
  const out = svg("svg", { viewBox: `0 0 ${full} ${bottom + 20}`, width: full, height: bottom + 20, class: "lanes history", role: "img", "aria-label": t.title });
  out.append(svg("text", { x: full - 20, y: 24, "text-anchor": "end", class: "s" }, "time →"));
  for (const lane of lanes) out.append(svg("line", { x1: left, x2: full - 12, y1: y(lane), y2: y(lane), class: "lane" }), svg("text", { x: 20, y: y(lane) + 4.5, class: "w" }, svg("title", {}, lane), short(lane, narrow ? 5 : 8)));
  const middle = (i: Interval) => (x(i.start) + Math.max(x(i.end), x(i.start) + dx * 0.8)) / 2;
  const links = svg("g"), bars = svg("g");
  steps.forEach((i, k) => {
    if (!k) return;
    const a = t.intervals[steps[k - 1]], b = t.intervals[i], bad = b.style === "failing";
    links.append(svg("line", { x1: middle(a), y1: y(a.lane), x2: middle(b), y2: y(b.lane), class: `${bad ? "order bad" : "order"}${k > step ? " fut" : ""}` }));
  });
  for (const i of all) {
    const k = near.has(i) ? steps.indexOf(t.intervals.indexOf(i)) : -1, bad = i.style === "failing", late = k >= 0 && k > step;
    const x1 = x(i.start), w = Math.max(x(i.end) - x1, dx * 0.8), cls = bad ? "failing" : k >= 0 ? "placed" : i.style === "pending" ? "pending" : near.has(i) ? "" : "aside";
    const g = svg("g", { class: `operation ${cls}${late ? " fut" : ""}`, ...(k >= 0 ? { "data-row": k + 1 } : {}) }, svg("title", {}, `${i.lane}: ${i.label}${i.location ? " at " + i.location : ""}`),
      svg("rect", { x: x1, y: y(i.lane) - 16, width: w, height: 32, rx: 6 }), svg("text", { x: x1 + w / 2, y: y(i.lane) - 23, "text-anchor": "middle", class: bad ? "bad w halo" : k >= 0 ? "w halo" : "k halo" }, short(i.label, Math.max(7, Math.floor((w + dx * 0.7) / 7)))));
    if (k >= 0) g.append(svg("circle", { cx: middle(i), cy: y(i.lane), r: 11, class: bad ? "point bad" : "point" }), svg("text", { x: middle(i), y: y(i.lane) + 4.5, "text-anchor": "middle", class: "inverse w" }, bad ? "✕" : String(k + 1)));
    if (k >= 0) g.addEventListener("click", () => go(k));
    bars.append(g);
  }
  const bad = t.intervals.find((i) => i.style === "failing");
  if (bad) links.append(svg("line", { x1: middle(bad), x2: middle(bad), y1: y(bad.lane) + 16, y2: bottom, class: `wrong-at${step < steps.length - 1 ? " fut" : ""}` }));
  out.append(links, bars);
  return out;
}

export function orderBox(f: Finding, step: number, go: (step: number) => void): HTMLElement {
  const t = f.timeline!, steps = historySteps(f), why = objection(f);
  const items = steps.map((i, k) => {
    const op = t.intervals[i], bad = op.style === "failing";
    const li = el("li", { class: `${bad ? "x" : ""} ${k > step ? "off" : k === step ? "now" : ""}` }, el("em", {}, bad ? "✕" : String(k + 1)),
      el("span", {}, el("b", {}, short(op.label, 40)), " ", el("small", {}, op.lane), bad && why ? el("small", { class: "why" }, why) : null as Child));
    li.addEventListener("click", () => go(k));
    return li;
  });
  return el("section", { class: "card box" }, el("header", {}, el("b", {}, t.order?.length ? "The longest order that works" : "The operations"), el("span", {}, f.object ?? "")), el("div", { class: "in" }, el("ol", { class: "ord" }, ...items)));
}
