// Beside the picture: the source of each involved thread at its current step, and one box with
// the reason: who waits for whom, which order is missing, who talks to whom.
import { button, el, short, svg, type Child } from "./dom";
import { defs } from "./lanes";
import type { Document_, Finding, Step } from "./model";
import { glyph } from "./names";
import type { Story, Which } from "./story";

export function splitLocation(location: string): { file: string; line: number } {
  const m = /^(.*?):(\d+)(?::\d+)?$/.exec(location);
  return m ? { file: m[1], line: Number(m[2]) } : { file: location, line: 0 };
}

export function brief(location: string): string {
  const { file, line } = splitLocation(location);
  return `${file.slice(file.lastIndexOf("/") + 1)}${line ? ":" + line : ""}`;
}

const KEYWORDS = /\b(if|else|for|while|do|return|static|const|struct|int|long|void|char|bool|func|go|chan|select|case|switch|default|defer|range|var|type|unsigned|size_t|break|continue|nil|NULL)\b|(\/\/.*|\/\*.*?\*\/)/g;

function coloured(text: string): Child[] {
  const out: Child[] = [];
  let from = 0;
  for (const m of text.matchAll(KEYWORDS)) {
    out.push(text.slice(from, m.index), el("span", { class: m[2] ? "cm" : "kw" }, m[0]));
    from = m.index + m[0].length;
  }
  return [...out, text.slice(from)];
}

// The functions from the outermost to the one of the step.
function crumb(f: Finding, frame: number | undefined): string {
  const names: string[] = [];
  for (let i = frame, deep = 0; i !== undefined && deep < 40; i = f.frames?.[i]?.up, deep++) {
    const name = f.frames?.[i]?.function;
    if (name && names[0] !== name) names.unshift(name.slice(name.lastIndexOf("/") + 1));
  }
  return names.join(" › ");
}

export interface Pane { head: Child; crumb: string; location: string; note: string; state: "now" | "past" | "off"; bad: boolean }

export function sourcePane(doc: Document_, p: Pane, around: number): HTMLElement {
  const { file, line } = splitLocation(p.location), part = doc.sources?.find((x) => x.file === file && line >= x.from && line < x.from + x.lines.length);
  const out = el("section", { class: `card src ${p.state}`, "aria-label": `source ${p.location}` }, el("header", {}, p.head, el("span", { class: "crumb", title: p.crumb }, p.crumb), el("span", { class: "loc mono", title: p.location }, brief(p.location))));
  if (!part) {
    out.append(el("p", { class: "none" }, p.location ? p.note || "The source file was not found." : p.note || "No place in the source was recorded."));
    return out;
  }
  const pre = el("pre"), at = line - part.from, first = Math.max(0, at - around), lines = part.lines.slice(first, at + around + 1);
  const indent = Math.min(...lines.filter((l) => l.trim()).map((l) => /^[ \t]*/.exec(l)![0].length), 40);
  lines.forEach((text, i) => pre.append(el("div", first + i === at ? { class: `at${p.bad ? " bad" : ""}` } : {}, el("i", {}, String(part.from + first + i)),
    el("span", {}, ...coloured(short(text.slice(Number.isFinite(indent) ? indent : 0), 160))), first + i === at && p.note ? el("u", {}, short(p.note, 28)) : null)));
  out.append(pre);
  return out;
}

function noteOf(s: Step, bad: boolean): string {
  if (s.waits) return bad ? "waits" : "comes to wait";
  if (s.on && s.value !== undefined) return s.kind === "read" ? `${s.on} is ${s.value}` : `${s.on} = ${s.value}`;
  return s.kind === "lock" || s.kind === "rlock" ? "locks" : s.kind === "unlock" || s.kind === "runlock" ? "unlocks" : s.kind ?? "";
}

export function sourcePanes(doc: Document_, story: Story, which: Which, step: number, around: number): HTMLElement[] {
  const rows = story.run(which).rows, most = story.involved.length > 3 ? 4 : 3;
  const ranked = story.involved.map((path, i) => ({ path, i, bad: rows.some((r) => r.bad && r.step?.path === path) }));
  return ranked.sort((a, b) => Number(b.bad) - Number(a.bad) || a.i - b.i).slice(0, most).map(({ path }) => {
    const mine = rows.map((r, k) => ({ r, k })).filter(({ r }) => r.step?.path === path);
    const past = mine.filter(({ k }) => k <= step).pop(), shown = past ?? mine[0];
    // A step without a place, an end say, stays where the thread was last seen.
    const s = shown?.r.step, placed = s?.location ? s : mine.filter(({ k, r }) => k <= step && r.step!.location).pop()?.r.step;
    const own = story.f.locations.find((p) => p.path === path), where = placed?.location || own?.location || "", frame = placed ? placed.frame : own?.frame;
    return sourcePane(doc, { head: story.names.thread(path, 30), crumb: crumb(story.f, frame), location: where, note: past && s && placed === s ? noteOf(s, shown.r.bad) : s?.kind === "end" ? "has ended" : "",
      state: !past ? "off" : past.k === step || rows[step]?.beside && past.k === step - 1 ? "now" : "past", bad: !!past?.r.bad }, around);
  });
}

// Threads and what they wait for, in a ring as far as it is closed.
export function ringBox(story: Story, which: Which, step: number): HTMLElement | null {
  const run = story.run(which), waits = run.waits.filter((w) => w.for >= 0 && w.on && !story.lanes[w.for].fold && !story.lanes[w.lane].fold);
  if (!waits.length) return null;
  const chain = [waits[0]];
  for (let w = waits.find((x) => x.lane === chain[0].for); w && !chain.includes(w); w = waits.find((x) => x.lane === w!.for)) chain.push(w);
  const closed = chain[chain.length - 1].for === chain[0].lane, n = chain.length * 2 + (closed ? 0 : 1), size = n > 4 ? 172 : 148, r = n > 4 ? 66 : 50, disc = n > 6 ? 12 : n > 4 ? 15 : 17;
  const at = (i: number) => { const a = (i / Math.max(n, 2)) * 2 * Math.PI + Math.PI; return [size / 2 + r * Math.cos(a), size / 2 + r * Math.sin(a)]; };
  const out = svg("svg", { width: size, height: size, viewBox: `0 0 ${size} ${size}`, class: "ringpic", role: "img", "aria-label": "who waits for whom" }, defs());
  const list = el("ul");
  const link = (i: number, k: number, cls: string, head: string) => {
    const [x1, y1] = at(i), [x2, y2] = at(k), d = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / d, uy = (y2 - y1) / d;
    out.append(svg("line", { x1: x1 + ux * (disc + 2), y1: y1 + uy * (disc + 2), x2: x2 - ux * (disc + 3), y2: y2 - uy * (disc + 3), class: cls, "marker-end": `url(#head-${head})` }));
  };
  let all = true;
  chain.forEach((w, i) => {
    const on = w.row <= step, who = story.lanes[w.lane].path, holder = story.lanes[w.for].path, c = story.names.colour(w.on);
    all &&= on;
    link(2 * i, 2 * i + 1, on ? "waits-for" : "waits-for fut", "bad");
    link(2 * i + 1, (2 * i + 2) % (closed ? n : n + 1), "holds", "ink");
    const [x, y] = at(2 * i), [lx, ly] = at(2 * i + 1);
    out.append(svg("circle", { cx: x, cy: y, r: disc, class: "who" }), glyph(story.names.shape(who), x, y, 5.5), svg("rect", { x: lx - disc * 0.75, y: ly - disc * 0.75, width: disc * 1.5, height: disc * 1.5, rx: 5, class: `lockfill c${c}` }, svg("title", {}, w.on)));
    list.append(el("li", on ? {} : { class: "off" }, story.names.thread(who, 24), " waits for ", story.names.lock(w.on, 24)), el("li", {}, story.names.lock(w.on, 24), " is held by ", story.names.thread(holder, 24)));
  });
  if (!closed) {
    const [x, y] = at(n - 1), last = chain[chain.length - 1];
    out.append(svg("circle", { cx: x, cy: y, r: 17, class: "who" }), glyph(Math.max(0, story.names.shape(story.lanes[last.for].path)), x, y, 5.5));
  }
  return el("section", { class: "card box" }, el("header", {}, el("b", {}, "Who waits for whom"), el("span", {}, !closed ? "" : all ? "a closed ring" : "no ring at this step")), el("div", { class: "in ring" }, out, list));
}

export function missingBox(story: Story): HTMLElement {
  const f = story.f, locks = f.facts.filter((x) => x.label === "locks");
  const row = (left: Child[], right: string, bad: boolean) => el("div", { class: "part" }, el("span", {}, ...left), el("span", { class: `tv wide ${bad ? "x" : ""}`, title: right }, short(right, 18)));
  const held = locks.map((x) => { const m = /^(.*) holds (.*)$/.exec(x.text); return row(m ? ["locks held by ", ...story.names.rich(m[1])] : story.names.rich(x.text), m?.[2] ?? "", m?.[2] === "none"); });
  return el("section", { class: "card box" }, el("header", {}, el("b", {}, "What is missing"), el("span", { class: "mono" }, f.variable ?? f.object ?? "")), el("div", { class: "in tree" }, ...held, row(["start, join or message between them"], "none", true)));
}

// The labelled sentences, as the terminal has them.
export function factsBox(story: Story, title: string, labels?: RegExp): HTMLElement | null {
  const drawn = [story.f.graph?.title, story.f.timeline?.title], facts = story.f.facts.filter((x) => !drawn.includes(x.label) && !x.text.includes("\n") && (!labels || labels.test(x.label)));
  if (!facts.length) return null;
  return el("section", { class: "card box" }, el("header", {}, el("b", {}, title)), el("dl", { class: "in facts" }, ...facts.slice(0, 12).flatMap((x) => [el("dt", {}, short(x.label, 30)), el("dd", {}, ...story.names.rich(short(x.text.replace(/ {3,}/g, "\n"), 400)))])));
}

export function placeLinks(f: Finding, jump: (location: string) => void): HTMLElement {
  const all = [...new Set(f.locations.map((p) => p.location).filter((x) => x))];
  return el("span", { class: "wh" }, ...all.slice(0, 4).map((w) => button({ class: "mono", title: `Go to the step at ${w}` }, () => jump(w), brief(w))), all.length > 4 ? el("span", {}, `and ${all.length - 4} more`) : null);
}
