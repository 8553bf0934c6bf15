// Layered graphs: every run of a property that the same causes allow as paths, or who may talk to whom.
import { short, svg } from "./dom";
import { defs } from "./lanes";
import type { Graph } from "./model";

export function layered(g: Graph, width: number): SVGElement {
  const rows = new Map<number, number[]>();
  g.nodes.forEach((n, i) => rows.set(n.level, [...(rows.get(n.level) ?? []), i]));
  for (const row of rows.values()) row.sort((a, b) => g.nodes[a].column - g.nodes[b].column);
  const widest = Math.max(...[...rows.values()].map((v) => v.length)), levels = Math.max(...rows.keys()) + 1;
  const box = Math.max(72, Math.min(176, width / widest - 24)), dx = box + 24, dy = 92, full = Math.max(width, widest * dx + 24);
  const at = g.nodes.map((n, i) => { const row = rows.get(n.level)!; return { x: full / 2 + (row.indexOf(i) - (row.length - 1) / 2) * dx, y: 40 + n.level * dy }; });
  const out = svg("svg", { viewBox: `0 0 ${full} ${levels * dy + 44}`, width: full, height: levels * dy + 44, role: "img", "aria-label": g.title, class: "graph" }, defs());
  const twin = new Set(g.edges.map((e) => `${e.from}/${e.to}/${e.style}`)), labelled = new Set<string>();
  for (const e of g.edges) {
    const a = at[e.from], b = at[e.to], both = twin.has(`${e.from}/${e.to}/observed`) && twin.has(`${e.from}/${e.to}/witness`);
    const shift = both ? (e.style === "witness" ? 4 : e.style === "observed" ? -4 : 0) : 0, mid = (a.y + b.y) / 2;
    out.append(svg("path", { d: `M${a.x + shift} ${a.y + 19}C${a.x + shift} ${mid} ${b.x + shift} ${mid} ${b.x + shift} ${b.y - 20}`, class: `edge ${e.style}`,
      "marker-end": `url(#head-${e.style === "witness" || e.style === "dashed" ? "bad" : e.style === "observed" ? "acc" : "ink"})` }, svg("title", {}, e.label)));
    const key = `${e.from}/${e.to}`;
    if (e.label && !labelled.has(key)) out.append(svg("text", { x: (a.x + b.x) / 2 + (b.x < a.x ? -8 : 10), y: mid + 4, class: "m halo", "text-anchor": b.x < a.x ? "end" : "start" }, short(e.label, 24)));
    labelled.add(key);
  }
  g.nodes.forEach((n, i) => out.append(svg("g", { class: `node ${n.style}`, transform: `translate(${at[i].x},${at[i].y})` }, svg("title", {}, n.label),
    svg("rect", { x: -box / 2, y: -19, width: box, height: 38, rx: 8 }), svg("text", { "text-anchor": "middle", y: 4.5 }, short(n.label, Math.floor(box / 7.4))))));
  const y = levels * dy + 26;
  if (g.edges.some((e) => e.style === "observed")) out.append(svg("line", { x1: 20, x2: 48, y1: y, y2: y, class: "edge observed" }), svg("text", { x: 56, y: y + 4, class: "k" }, "observed run"));
  if (g.edges.some((e) => e.style === "witness")) out.append(svg("line", { x1: 160, x2: 188, y1: y, y2: y, class: "edge witness" }), svg("text", { x: 196, y: y + 4, class: "k" }, "the run that goes wrong"));
  return out;
}
