// Threads as lanes, time going down: locks are bars while they are held, waits are hatched and
// point at who is waited for, messages are arrows.
import { short, svg } from "./dom";
import { glyph } from "./names";
import type { Row, Run, Story, Which } from "./story";

const LEFT = 64, TOP = 84, BAR = 10;

// Arrow heads in each colour, and a hatch for each lock.
export function defs(): SVGElement {
  const out = svg("defs");
  for (const kind of ["ink", "bad", "acc"])
    out.append(svg("marker", { id: `head-${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
      svg("path", { d: "M0 .8L7.5 4L0 7.2z", class: `head ${kind}` })));
  for (let c = -1; c < 6; c++)
    out.append(svg("pattern", { id: `hatch${c}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 6, height: 6, class: "paper" }), svg("rect", { width: 3, height: 6, class: c < 0 ? "lockfill none" : `lockfill c${c}` })));
  return out;
}

interface Place { x: number[]; y: number[]; bottom: number; width: number; room: number[]; narrow: boolean }

function place(run: Run, lanes: number, width: number, height: number, fold: boolean): Place {
  const narrow = width < 480, left = narrow ? 44 : LEFT;
  const lines = run.rows.filter((r) => !r.beside).length;
  const dy = Math.max(narrow ? 26 : 24, Math.min(50, (height - TOP - 56) / Math.max(lines, 1)));
  const share = fold || lanes > 1 ? lanes - (fold && lanes > 1 ? 0.25 : 0) : 1;
  const dx = (width - left - 8) / share;
  const y: number[] = [];
  let line = -1;
  for (const r of run.rows) { if (!r.beside) line++; y.push(TOP + (line + 0.5) * dy); }
  const x = Array.from({ length: lanes }, (_, i) => left + i * dx + 2);
  return { x, y, bottom: TOP + (line + 1) * dy + 8, width, room: x.map((at, i) => (i + 1 < lanes ? x[i + 1] : width) - at - 14), narrow };
}

function headings(story: Story, p: Place, onFold: () => void): SVGElement[] {
  return story.lanes.map((lane, i) => {
    const limit = Math.max(4, Math.floor((p.room[i] - 10) / 8.6)), x = p.x[i], shape = story.names.shape(lane.path);
    if (lane.fold) {
      const g = svg("g", { class: "heading fold", tabindex: 0, role: "button", "aria-label": `${story.more} more threads, folded` },
        svg("rect", { x: x + 6, y: 18, width: 90, height: 38, class: "hit" }), svg("text", { x: x + 14, y: 34, class: "acc w" }, `${story.more} more`), svg("text", { x: x + 14, y: 50, class: "s" }, "folded"));
      g.addEventListener("click", onFold);
      g.addEventListener("keydown", (e) => { if ((e as KeyboardEvent).key === "Enter") onFold(); });
      return g;
    }
    const name = story.names.of(lane.path);
    return svg("g", { class: shape < 0 ? "heading dim" : "heading" }, svg("title", {}, story.names.title(lane.path)),
      shape >= 0 && glyph(shape, x, 30, 5.5), svg("text", { x: x + 14, y: 34, class: shape < 0 ? "k" : "w" }, short(name, limit)),
      !p.narrow && svg("text", { x: x + 14, y: 50, class: "s" }, short(story.names.number(lane.path), limit)));
  });
}

function laneLines(story: Story, p: Place): SVGElement[] {
  return story.lanes.map((lane, i) => svg("line", { x1: p.x[i], x2: p.x[i], y1: p.narrow ? 46 : 58, y2: p.bottom, class: story.names.shape(lane.path) < 0 ? "lane other" : "lane" }));
}

function bars(story: Story, run: Run, p: Place, step: number): SVGElement[] {
  const half = p.y.length > 1 ? Math.min(14, (p.y[1] - p.y[0] || 28) / 2) : 14;
  return run.held.flatMap((h) => {
    const top = p.y[h.from] ?? p.bottom, end = h.to < p.y.length ? p.y[h.to] : p.bottom;
    const now = step < 0 ? top : Math.min(end, (p.y[Math.min(step, p.y.length - 1)] ?? end) + (step >= p.y.length - 1 ? 99 : half));
    const x = p.x[h.lane] - BAR / 2 + h.slot * (BAR + 3), c = story.names.colour(h.lock);
    const bar = (y1: number, y2: number, extra: string) => svg("rect", { x, y: y1, width: BAR, height: Math.max(0, y2 - y1), rx: 3, class: `lockfill c${c} ${extra}` }, svg("title", {}, `${story.names.of(story.lanes[h.lane].path)} holds ${h.lock}`));
    const out = h.from <= step ? [bar(top, Math.min(now, end), "")] : [];
    return now < end || h.from > step ? [bar(top, end, "fut"), ...out] : out;
  });
}

function slotsAt(run: Run, lane: number, row: number): number {
  return run.held.filter((h) => h.lane === lane && h.from <= row && h.to >= row).reduce((n, h) => Math.max(n, h.slot + 1), 0);
}

function waits(story: Story, run: Run, p: Place, step: number): SVGElement[] {
  return run.waits.map((w) => {
    const c = story.names.colour(w.on), x = p.x[w.lane] - BAR / 2 + slotsAt(run, w.lane, w.row) * (BAR + 3), y = p.y[w.row];
    const g = svg("g", { class: w.row > step ? "fut" : "" }, svg("rect", { x, y, width: BAR, height: p.bottom - y, rx: 3, class: `wait c${c < 0 ? "x" : c}`, fill: `url(#hatch${c})` },
      svg("title", {}, `${story.names.of(story.lanes[w.lane].path)} waits`)));
    if (w.for >= 0 && w.for !== w.lane) {
      const right = p.x[w.for] > x, end = p.x[w.for] + (right ? -BAR / 2 - 2 : slotsAt(run, w.for, w.row) * (BAR + 3));
      g.append(svg("line", { x1: right ? x + BAR + 2 : x - 2, x2: end, y1: y + 20, y2: y + 20, class: "waits-for", "marker-end": "url(#head-bad)" }));
    }
    return g;
  });
}

function arrows(run: Run, p: Place, step: number): SVGElement[] {
  return run.arrows.map((a) => {
    const x1 = p.x[a.fromLane], x2 = p.x[a.toLane], gap = x2 > x1 ? 7 : -7;
    const cls = a.kind === "start" ? "start" : a.kind === "was" ? "was" : run.rows[a.to].moved || run.rows[a.to].step?.note ? "message differs" : "message";
    return svg("line", { x1: x1 + gap, x2: x2 - gap, y1: p.y[a.from], y2: p.y[a.to], class: `${cls}${a.to > step ? " fut" : ""}`,
      "marker-end": cls === "message differs" ? "url(#head-acc)" : "url(#head-ink)" },
      svg("title", {}, a.kind === "was" ? "the partner that it had in the observed run" : a.kind === "start" ? "starts" : "message"));
  });
}

function line(location: string): string { return /:(\d+)(:\d+)?$/.exec(location)?.[1] ?? ""; }

function rowText(story: Story, run: Run, r: Row, i: number, p: Place): SVGElement[] {
  const slots = slotsAt(run, r.lane, i) + (r.waits ? 1 : 0), x = p.x[r.lane] + 13 + Math.max(0, slots - 1) * (BAR + 3), y = p.y[i] + 4.5;
  const last = story.lanes.length - 1, alone = !run.rows.some((o, k) => p.y[k] === p.y[i] && o.lane > r.lane);
  // A line with one step may run across the other lanes, as far as no bar stands there.
  const blocker = Array.from({ length: last - r.lane }, (_, k) => r.lane + 1 + k).find((l) => slotsAt(run, l, i) || run.waits.some((w) => w.lane === l && w.row <= i) || !alone);
  const end = blocker === undefined ? p.width - 10 : p.x[blocker] - 14;
  const fit = Math.max(4, Math.floor((end - x) / 7.1)), where = r.step && !p.narrow ? line(r.step.location) : "";
  const moved = r.bad ? "" : r.moved, extra = (where ? where.length + 2 : 0) + (moved && !p.narrow ? moved.length + 1 : 0);
  const room = Math.max(4, fit - (fit > 26 ? extra : 0)), verb = r.words.split(" ")[0];
  const words = r.words.length > room && room < 22 ? (r.waits || r.step?.kind === "signal" || verb.length + 4 > room ? short(verb, room) : r.words.slice(0, room - 1) + "…") : short(r.words, room);
  const text = svg("text", { x, y, class: `halo ${r.bad ? "bad w" : r.step && story.names.shape(r.step.path) >= 0 ? "" : "k"}` }, words);
  const left = fit - words.length;
  if (where && left > where.length + 1) text.append(svg("tspan", { class: "at", dx: 8 }, ":" + where));
  if (moved && left > extra) text.append(svg("tspan", { class: "acc w small", dx: 8 }, moved));
  const full = r.step ? `${story.names.of(r.step.path)} ${r.words}${r.step.location ? " at " + r.step.location : ""}\n${r.step.event}` : r.words;
  return [svg("title", {}, full), text];
}

function mark(story: Story, run: Run, r: Row, i: number, p: Place): SVGElement {
  const slots = slotsAt(run, r.lane, i), x = p.x[r.lane] + (r.waits ? slots * (BAR + 3) : 0), y = p.y[i];
  if (!r.step) return svg("circle", { cx: x, cy: y, r: 4, class: "dot k" });
  if (r.bad) return svg("rect", { x: x - 5, y: y - 5, width: 10, height: 10, rx: 1.5, class: "dot bad" });
  const takes = /lock$/.test(r.step.kind ?? "") && !/unlock/.test(r.step.kind!) && !r.waits;
  return svg("circle", { cx: x, cy: y, r: takes ? 4.5 : 4, class: `dot ${takes ? "takes" : ""} ${story.names.shape(r.step.path) < 0 ? "k" : ""}` });
}

function closing(story: Story, run: Run, which: Which, p: Place, step: number): SVGElement | null {
  const waits = run.waits.filter((w) => run.rows[w.row].bad), bad = run.rows.map((r, i) => (r.bad ? i : -1)).filter((i) => i >= 0);
  const fut = step < run.rows.length - 1 ? " fut" : "";
  if (story.f.rule === "data-race" && bad.length > 1) {
    const [a, b] = bad.slice(-2).map((i) => run.rows[i].lane), y = p.bottom + 12;
    if (a === b) return null;
    const x1 = Math.min(p.x[a], p.x[b]), x2 = Math.max(p.x[a], p.x[b]), mid = (x1 + x2) / 2;
    return svg("g", { class: `gap${fut}` },
      svg("path", { d: `M${x1} ${y - 14}V${y}H${mid - 16}M${mid - 20} ${y + 6}L${mid - 12} ${y - 6}M${mid + 12} ${y + 6}L${mid + 20} ${y - 6}M${mid + 16} ${y}H${x2}V${y - 14}` }),
      svg("text", { x: mid, y: y + 22, "text-anchor": "middle", class: "bad" }, p.narrow ? "no order" : "nothing orders these two"));
  }
  if (!waits.length || (story.f.rule !== "lock-cycle" && story.f.rule !== "blocked-forever")) return null;
  const words = waits.length > 1 ? "No step is left: they wait for ever." : "It waits for ever.";
  const first = Math.min(...waits.map((w) => p.x[w.lane]));
  return svg("text", { x: first + 26, y: p.bottom + 22, class: `bad${fut}` }, which === "observed" && story.f.verdict === "predicted" ? "" : words);
}

export function lanesPicture(story: Story, which: Which, step: number, width: number, height: number, go: (step: number) => void, onFold: () => void): SVGElement {
  const run = story.run(which), fold = !!story.lanes[story.lanes.length - 1]?.fold;
  const p = place(run, story.lanes.length, width, height, fold), full = Math.max(p.bottom + 44, 120);
  const out = svg("svg", { viewBox: `0 0 ${width} ${full}`, width, height: full, class: "lanes", role: "img", "aria-label": `${run.rows.length} steps of ${story.lanes.length} threads` }, defs());
  const current = run.rows[step];
  if (current) {
    const y = p.y[step], tall = current.waits ? 40 : 28;
    out.append(svg("rect", { x: 0, y: y - 14, width, height: tall, class: current.bad ? "now bad" : "now" }), svg("rect", { x: 0, y: y - 14, width: 3, height: tall, class: current.bad ? "edge bad" : "edge" }));
  }
  out.append(...laneLines(story, p), ...headings(story, p, onFold), ...bars(story, run, p, step), ...arrows(run, p, step), ...waits(story, run, p, step));
  run.rows.forEach((r, i) => {
    const next = run.rows[i + 1]?.beside;
    const g = svg("g", { class: `row${i > step ? " fut" : ""}`, "data-row": i + 1 });
    if (!r.beside) g.append(svg("text", { x: p.narrow ? 8 : 20, y: p.y[i] + 4.5, class: "s" }, next ? `${i + 1}–${i + 2}` : String(i + 1)));
    if (fold && r.lane === story.lanes.length - 1) g.append(svg("line", { x1: p.x[0], x2: p.x[r.lane] - 8, y1: p.y[i], y2: p.y[i], class: "folded" }));
    g.append(mark(story, run, r, i, p), ...rowText(story, run, r, i, p));
    const hit = svg("rect", { x: r.beside ? p.x[r.lane] - 12 : 0, y: p.y[i] - 13, width: next ? p.x[run.rows[i + 1].lane] - 12 : width, height: 26, class: "hit" });
    hit.addEventListener("click", () => go(i));
    g.append(hit);
    out.append(g);
  });
  const end = closing(story, run, which, p, step);
  if (end) out.append(end);
  return out;
}
