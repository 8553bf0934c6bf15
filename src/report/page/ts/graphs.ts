// Layered graphs (lattices, dependency graphs), timelines of operations, message sequences: SVG.
import { short, svg, threadTitle } from "./dom";
import { lanesOf } from "./findings";
import type { Finding, Graph, Step, Timeline } from "./model";

function arrowHead(): SVGElement {
  return svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { d: "M0 0L8 4L0 8z", class: "arrow" })));
}

// The monitor's state at the nodes that the violating path goes through: what stands behind the
// last bar of the witness's steps.
function monitorStates(g: Graph, steps: Step[]): Map<number, string> {
  const out = new Map<number, string>();
  let at = g.nodes.findIndex((n) => n.level === 0);
  for (const s of steps) {
    const next = g.edges.find((e) => e.from === at && (e.style === "witness" || s.event.includes(e.label.split("=")[0]) && s.event.endsWith(e.label.slice(e.label.indexOf("=")))));
    const state = s.state?.split("|").pop()?.trim();
    if (!next) break;
    at = next.to;
    if (state) out.set(at, state);
  }
  return out;
}

export function layered(g: Graph, steps: Step[] = []): SVGElement {
  const monitor = monitorStates(g, steps);
  const perLevel = new Map<number, number[]>();
  g.nodes.forEach((n, i) => perLevel.set(n.level, [...(perLevel.get(n.level) ?? []), i]));
  const widest = Math.max(...[...perLevel.values()].map((v) => v.length));
  const levels = Math.max(...perLevel.keys()) + 1, dx = 130, dy = 74;
  const width = Math.max(widest * dx, 300), height = levels * dy + 40;
  const at = g.nodes.map((n) => {
    const row = perLevel.get(n.level)!.slice().sort((a, b) => g.nodes[a].column - g.nodes[b].column);
    const k = row.indexOf(g.nodes.indexOf(n));
    return { x: width / 2 + (k - (row.length - 1) / 2) * dx, y: 30 + n.level * dy };
  });
  const out = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": g.title, class: "graph" }, arrowHead());
  for (const e of g.edges) {
    const a = at[e.from], b = at[e.to];
    out.append(svg("line", { x1: a.x, y1: a.y + 15, x2: b.x, y2: b.y - 15, class: `edge ${e.style}`, "marker-end": "url(#arrow)" }));
    if (e.label) out.append(svg("text", { x: (a.x + b.x) / 2 + 4, y: (a.y + b.y) / 2, class: "edge-label" }, short(e.label, 24)));
  }
  g.nodes.forEach((n, i) => out.append(svg("g", { class: `node ${n.style}`, transform: `translate(${at[i].x},${at[i].y})` },
    svg("title", {}, n.label), svg("rect", { x: -52, y: -15, width: 104, height: 30, rx: 6 }), svg("text", { "text-anchor": "middle", y: 4 }, short(n.label, 16)),
    monitor.has(i) ? svg("text", { x: 56, y: 4, class: "monitor" }, short(monitor.get(i)!, 8), svg("title", {}, "the monitor's state on the violating path")) : null)));
  return out;
}

// A message sequence: one arrow per message, its name at the right of the row in which it arrives.
export function lanes(g: Graph, headings: string[]): SVGElement {
  const dx = 90, dy = 26, label = 320;
  const x = (n: number) => 50 + g.nodes[n].column * dx, y = (n: number) => 46 + g.nodes[n].level * dy;
  const width = headings.length * dx + label, height = 70 + Math.max(...g.nodes.map((n) => n.level)) * dy;
  const out = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": g.title, class: "sequence" }, arrowHead());
  headings.forEach((h, i) => out.append(svg("text", { x: 50 + i * dx, y: 18, "text-anchor": "middle" }, short(h, 14)),
    svg("line", { x1: 50 + i * dx, x2: 50 + i * dx, y1: 26, y2: height, class: "lane" })));
  for (const e of g.edges) {
    const x1 = x(e.from), y1 = y(e.from), x2 = x(e.to), y2 = y(e.to);
    const d = x1 === x2 ? `M${x1} ${y1}C${x1 + 40} ${y1} ${x2 + 40} ${y2} ${x2} ${y2}` : `M${x1} ${y1}L${x2} ${y2}`;
    out.append(svg("path", { d, class: `message ${e.style}`, "marker-end": "url(#arrow)" }, svg("title", {}, e.label)),
      svg("text", { x: headings.length * dx + 10, y: y2 + 4, class: `edge-label ${e.style}` }, short(e.label, 44), svg("title", {}, e.label)));
  }
  g.nodes.forEach((_, i) => out.append(svg("circle", { cx: x(i), cy: y(i), r: 3 })));
  return out;
}

// Every operation that forces the verdict is drawn, however far away: positions are ranks, not times.
export function timeline(t: Timeline): SVGElement {
  const points = [...new Set(t.intervals.flatMap((i) => [i.start, i.end]))].sort((a, b) => a - b);
  const rank = new Map(points.map((p, i) => [p, i]));
  const room = t.intervals.map((i) => (short(i.label, 24).length * 7.5 + 12) / Math.max(1, rank.get(i.end)! - rank.get(i.start)!));
  const lanes = [...new Set(t.intervals.map((i) => i.lane))], dx = points.length > 40 ? 56 : Math.max(56, ...room), left = 130;
  const width = left + points.length * dx + 60, height = lanes.length * 44 + 30;
  const out = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": t.title, class: "timeline" }, arrowHead());
  const box = t.intervals.map((i) => ({ x1: left + rank.get(i.start)! * dx, x2: left + rank.get(i.end)! * dx, y: 24 + lanes.indexOf(i.lane) * 44 }));
  lanes.forEach((lane, i) => out.append(svg("text", { x: 6, y: 28 + i * 44 }, short(lane, 16)),
    svg("line", { x1: left, x2: width, y1: 24 + i * 44, y2: 24 + i * 44, class: "lane" })));
  t.intervals.forEach((i, k) => out.append(svg("g", { class: `operation ${i.style}` }, svg("title", {}, i.label),
    svg("rect", { x: box[k].x1, y: box[k].y - 13, width: Math.max(box[k].x2 - box[k].x1, 8), height: 26, rx: 4 }),
    svg("text", { x: box[k].x1 + 5, y: box[k].y + 4 }, short(i.label, Math.max(6, Math.floor((box[k].x2 - box[k].x1) / 7)))))));
  for (const e of t.edges) out.append(svg("path", { class: "forced", "marker-end": "url(#arrow)",
    d: `M${box[e.from].x2} ${box[e.from].y}C${box[e.from].x2 + 30} ${box[e.from].y} ${box[e.to].x1 - 30} ${box[e.to].y} ${box[e.to].x1} ${box[e.to].y}` },
    svg("title", {}, e.label)));
  return out;
}

// Threads as columns, the witness's steps downwards; a send and its receive are one arrow.
export function sequence(f: Finding): SVGElement {
  const lanes = lanesOf(f.witness), dx = 150, dy = 26;
  const width = lanes.length * dx + 80, height = f.witness.length * dy + 60;
  const names = new Map(f.witness.map((s) => [s.thread, threadTitle(s.thread, s.name)]));
  const x = (t: string) => 70 + lanes.indexOf(t) * dx, y = (i: number) => 50 + i * dy;
  const out = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "message sequence", class: "sequence" }, arrowHead());
  for (const t of lanes) out.append(svg("text", { x: x(t), y: 18, "text-anchor": "middle" }, short(names.get(t)!, 20)),
    svg("line", { x1: x(t), x2: x(t), y1: 26, y2: height, class: "lane" }));
  const sent = new Map<string, number>();
  f.witness.forEach((s, i) => {
    const send = /^(?:send\((\d+)->|post\((\S+?)!)/.exec(s.event), receive = /^(?:receive\((\d+)\)|post\((?:[^#]*)#(\S+?)\?)/.exec(s.event);
    const key = send ? send[1] ?? send[2] : receive ? receive[1] ?? receive[2] : "";
    if (send) sent.set(key, i);
    const from = receive ? sent.get(key) : undefined;
    if (from !== undefined) out.append(svg("line", { x1: x(f.witness[from].thread), y1: y(from), x2: x(s.thread), y2: y(i), class: "message", "marker-end": "url(#arrow)" }));
    out.append(svg("circle", { cx: x(s.thread), cy: y(i), r: 3, class: s.note ? "noted" : "" }),
      svg("text", { x: x(s.thread) + 8, y: y(i) + 4, class: "edge-label" }, short(s.event, 18), svg("title", {}, `${s.event} ${s.location}`)));
  });
  return out;
}
