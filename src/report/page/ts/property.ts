// A broken property: lanes go right, the variables are step curves under them, the property's own
// line says where it holds.
import { el, short, svg } from "./dom";
import { parts, type Part } from "./formula";
import type { Finding, Step } from "./model";
import { glyph } from "./names";
import type { Row, Story, Which } from "./story";

export interface State { values: Map<string, string>; holds: string; monitor: string }

// "w=24 v=40 | p . . | 1": values, what holds, the monitor's state.
export function readState(text: string): State {
  const cells = text.split(" | "), values = new Map<string, string>();
  for (const m of (cells[0] ?? "").matchAll(/([^\s=]+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\S+)/g)) values.set(m[1], m[2]);
  return { values, holds: cells.length > 2 ? cells[1] : "", monitor: (cells[cells.length - 1] ?? "").trim() };
}

// The states of a run: before the first step, after each.
export function states(f: Finding, steps: Step[]): State[] {
  const start = f.facts.find((x) => x.label === "start")?.text;
  const out = [readState(start ?? "")];
  for (const s of steps) {
    const last = out[out.length - 1];
    if (s.state) out.push(readState(s.state));
    else {
      const values = new Map(last.values);
      if (s.on && s.value && (s.kind === "write" || s.kind === "rmw") && values.has(s.on)) values.set(s.on, s.value);
      out.push({ values, holds: "?", monitor: "" });
    }
  }
  return out;
}

function compare(text: string, values: Map<string, string>): boolean | null {
  const m = /^\s*([\w.$]+)\s*(?:(==|=|!=|<=|>=|<|>)\s*([\w.$-]+)\s*)?$/.exec(text);
  if (!m) return null;
  const of = (w: string) => { const v = values.get(w) ?? w; return v === "true" ? 1 : v === "false" ? 0 : /^-?\d+(\.\d+)?$/.test(v) ? Number(v) : NaN; };
  const a = of(m[1]), b = m[2] ? of(m[3]) : 0;
  if (Number.isNaN(a) || Number.isNaN(b)) return null;
  switch (m[2]) {
    case undefined: return a !== 0;
    case "==": case "=": return a === b;
    case "!=": return a !== b;
    case "<": return a < b;
    case "<=": return a <= b;
    case ">": return a > b;
    default: return a >= b;
  }
}

// The atom among those that the step says hold; else what its values say.
function atomAt(list: State[], text: string, k: number): boolean | null {
  const s = list[k];
  if (!s) return null;
  const names = new Set(list.flatMap((x) => x.holds.split(/\s+/)));
  if (/^[A-Za-z_]\w*$/.test(text) && (names.has(text) || !s.values.has(text)) && s.holds !== "?") return s.holds.split(/\s+/).includes(text);
  const direct = compare(text, s.values);
  if (direct !== null) return direct;
  if (s.holds === "?" || !s.holds) return null;
  return list.some((x) => x.holds.includes(text)) ? s.holds.includes(text) : null;
}

export function formulaOf(f: Finding): { name: string; text: string } {
  const fact = f.facts.find((x) => x.label === "property")?.text ?? "", m = /^([\w.-]+):\s*([^]*)$/.exec(fact);
  return m ? { name: m[1], text: m[2].trim() } : { name: "", text: fact };
}

export function formulaBox(f: Finding, list: State[], step: number): HTMLElement | null {
  const { name, text } = formulaOf(f);
  if (!text) return null;
  const tree = parts(text, (atom, k) => atomAt(list, atom, k)), at = step + 1, over = list[at]?.monitor === "bad";
  const value = (p: Part) => { const v = p.value(at); return p.depth === 0 && over ? false : v; };
  const rows = tree?.map((p) => {
    const v = value(p), row = el("div", { class: `part d${Math.min(p.depth, 5)}` }, el("span", { class: p.parts.length ? "" : "mono", title: p.text }, short(p.text, 46)),
      el("span", { class: `tv ${v === null ? "" : v ? "t" : "x"}` }, v === null ? "open" : v ? "true" : "false"));
    return row;
  });
  const broken = f.facts.find((x) => x.label === "failed")?.text;
  const atoms = tree ? [] : [...new Set(text.match(/\b[A-Za-z_]\w*\b/g))].filter((a) => !/^(ere|match|monitor)$/.test(a) && list.some((s) => s.holds && s.holds !== "?")).slice(0, 12);
  return el("section", { class: "card box formula" }, el("header", {}, el("b", { class: "mono" }, name || "property"), el("span", {}, step < 0 ? "at the start" : `after step ${step + 1}`)),
    el("div", { class: "in tree" }, el("p", { class: "mono whole" }, text), ...(rows ?? []),
      ...atoms.map((a) => { const v = atomAt(list, a, at); return el("div", { class: "part" }, el("span", { class: "mono" }, a), el("span", { class: `tv ${v ? "t" : "x"}` }, v ? "true" : "false")); }), broken ? el("p", { class: "note" }, broken) : null));
}

export function propertyPicture(story: Story, which: Which, step: number, width: number, height: number, go: (step: number) => void): SVGElement {
  const run = story.run(which), steps = run.rows.map((r) => r.step), list = states(story.f, steps.filter((s): s is Step => !!s));
  const narrow = width < 480, left = narrow ? 92 : 146, n = run.rows.length + 1, dx = Math.max(64, Math.min(150, (width - left - 16) / n));
  const lanes = story.lanes, laneH = Math.max(48, Math.min(62, (height - 240) / Math.max(lanes.length, 1)));
  const vars = [...new Set(list.flatMap((s) => [...s.values.keys()]))].slice(0, 8);
  const x = (k: number) => left + k * dx; // state k lies from x(k) to x(k + 1)
  const yLane = (i: number) => 64 + i * laneH, curves = 64 + lanes.length * laneH, varH = 64;
  const bottom = curves + vars.length * varH + 50, full = Math.max(width, x(n) + 16);
  const out = svg("svg", { viewBox: `0 0 ${full} ${bottom + 14}`, width: full, height: bottom + 14, class: "lanes property", role: "img", "aria-label": "lanes and variables" });
  if (step >= -1) out.append(svg("rect", { x: x(step + 1), y: 0, width: dx, height: bottom, class: run.rows[step]?.bad ? "now bad" : "now" }));
  for (let k = 0; k < n; k++) {
    out.append(svg("text", { x: x(k) + dx / 2, y: 24, "text-anchor": "middle", class: k > step + 1 ? "s fut" : "s" }, k ? (narrow || dx < 92 ? String(k) : `after step ${k}`) : "start"));
    if (k) out.append(svg("line", { x1: x(k), x2: x(k), y1: 40, y2: bottom, class: run.rows[k - 1].bad ? "moment bad" : "moment" }));
  }
  lanes.forEach((lane, i) => {
    const shape = story.names.shape(lane.path), name = lane.fold ? `${story.more} more` : story.names.of(lane.path);
    out.append(svg("line", { x1: left, x2: full - 12, y1: yLane(i), y2: yLane(i), class: "lane" }), svg("g", {}, svg("title", {}, lane.fold ? name : story.names.title(lane.path)),
      shape >= 0 && glyph(shape, 26, yLane(i), 5.5), svg("text", { x: 42, y: yLane(i) + 4.5, class: "w" }, short(name, narrow ? 7 : 13))));
  });
  out.append(...heldBars(story, run.rows, x, dx, yLane, step, which === "witness" ? full - 16 : 0));
  run.rows.forEach((r, i) => {
    const g = svg("g", { class: i > step ? "row fut" : "row", "data-row": i + 1 }, svg("title", {}, `${r.words}${r.step?.location ? " at " + r.step.location : ""}`));
    const value = r.step?.on && r.step.value ? `${r.step.on} = ${r.step.value}` : r.words;
    g.append(r.bad ? svg("rect", { x: x(i + 1) - 5, y: yLane(r.lane) - 5, width: 10, height: 10, rx: 1.5, class: "dot bad" }) : svg("circle", { cx: x(i + 1), cy: yLane(r.lane), r: 4.5, class: "dot" }),
      svg("text", { x: x(i + 1) + (i + 2 === n && narrow ? dx - 4 : 4), y: yLane(r.lane) - 12, "text-anchor": i + 2 === n && narrow ? "end" : "start", class: `halo ${r.bad ? "bad w" : ""}` }, short(value, Math.max(8, Math.floor(dx / 6.4)))));
    const hit = svg("rect", { x: x(i + 1) - dx / 2, y: 0, width: dx, height: bottom, class: "hit" });
    hit.addEventListener("click", () => go(i));
    g.append(hit);
    out.append(g);
  });
  vars.forEach((v, i) => out.append(...curve(v, list, curves + i * varH, x, step, full)));
  out.append(...verdictLine(story.f, list, bottom - 34, x, dx, step, narrow));
  return out;
}

interface Section { path: string; lock: string; from: number; to: number } // indices of the thread's events

// From where to where each thread held which lock: what it did in the observed run, it does in every run.
function sections(f: Finding): Section[] {
  const open = new Map<string, Section & { depth: number }>(), out: Section[] = [];
  for (const s of f.observed ?? []) {
    const key = `${s.path} ${s.on}`, is = open.get(key);
    if (!s.on || s.waits || s.odd) continue;
    if (/^(try)?r?lock$/.test(s.kind ?? "")) {
      if (is) is.depth++;
      else open.set(key, { path: s.path, lock: s.on, from: s.index, to: Infinity, depth: 1 });
    } else if (/^r?unlock$/.test(s.kind ?? "") && is && --is.depth === 0) {
      out.push({ ...is, to: s.index });
      open.delete(key);
    }
  }
  return [...out, ...open.values()];
}

function heldBars(story: Story, rows: Row[], x: (k: number) => number, dx: number, yLane: (i: number) => number, step: number, end: number): SVGElement[] {
  return sections(story.f).flatMap((h) => {
    const inside = rows.map((r, i) => (r.step?.path === h.path && r.step.index > h.from && r.step.index < h.to ? i : -1)).filter((i) => i >= 0);
    if (!inside.length) return [];
    // A witness takes no thread further than its last step: what it holds there, it holds at the end.
    const last = inside[inside.length - 1], stays = end && !rows.slice(last + 1).some((r) => r.step?.path === h.path);
    const lane = story.lane(h.path), y = yLane(lane), from = x(inside[0] + 1) - 16, to = stays ? end : x(last + 1) + 16;
    const c = story.names.colour(h.lock), words = `holds ${short(h.lock, Math.max(6, Math.floor(dx / 7) - 6))}`;
    return [svg("g", { class: `held${inside[0] > step ? " fut" : ""}` }, svg("title", {}, `${story.names.of(h.path)} holds ${h.lock}`),
      svg("rect", { x: from, y: y - 5, width: to - from, height: 10, rx: 4, class: `lockfill c${c}` }), svg("text", { x: from, y: y + 21, class: "s" }, words))];
  });
}

function curve(name: string, list: State[], top: number, x: (k: number) => number, step: number, width: number): SVGElement[] {
  const texts = list.map((s) => s.values.get(name) ?? ""), numbers = texts.map((t) => (t === "true" ? 1 : t === "false" ? 0 : Number(t)));
  const out: SVGElement[] = [svg("line", { x1: 20, x2: width - 12, y1: top, y2: top, class: "rule" }), svg("text", { x: 20, y: top + 36, class: "m" }, svg("title", {}, name), short(name, 13))];
  if (texts.some((t, i) => t === "" || Number.isNaN(numbers[i]))) {
    texts.forEach((t, k) => out.push(svg("text", { x: x(k) + 6, y: top + 36, class: k > step + 1 ? "m fut" : "m" }, short(t, 9))));
    return out;
  }
  const low = Math.min(...numbers), high = Math.max(...numbers), y = (v: number) => top + 50 - (high > low ? ((v - low) / (high - low)) * 38 : 19);
  const d = numbers.map((v, k) => `${k ? "V" : `M${x(0)} `}${y(v)}H${x(k + 1)}`).join(""), upto = numbers.slice(0, step + 2).map((v, k) => `${k ? "V" : `M${x(0)} `}${y(v)}H${x(k + 1)}`).join("");
  out.push(svg("path", { d, class: "curve fut" }), svg("path", { d: upto, class: "curve" }));
  for (const v of new Set([low, high])) out.push(svg("text", { x: x(0) - 8, y: y(v) + 4, "text-anchor": "end", class: "s" }, String(v)));
  return out;
}

function verdictLine(f: Finding, list: State[], top: number, x: (k: number) => number, dx: number, step: number, narrow: boolean): SVGElement[] {
  const { name, text } = formulaOf(f), tree = parts(text, (atom, k) => atomAt(list, atom, k));
  const out: SVGElement[] = [svg("text", { x: 20, y: top + 17, class: "m" }, svg("title", {}, text), short(name || "property", narrow ? 9 : 16))];
  const broken = list.findIndex((s) => s.monitor === "bad");
  list.forEach((_, k) => {
    const bad = broken >= 0 ? k >= broken : tree?.[0].value(k) === false;
    out.push(svg("rect", { x: x(k) + 5, y: top, width: dx - 10, height: 26, rx: 5, class: `verdict ${bad ? "x" : ""} ${k > step + 1 ? "fut" : ""}` }),
      svg("text", { x: x(k) + dx / 2, y: top + 17, "text-anchor": "middle", class: `${bad ? "inverse w" : "k"} ${k > step + 1 ? "fut" : ""}` }, bad ? "broken" : "holds"));
  });
  return out;
}
