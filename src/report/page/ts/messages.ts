// The messages of an exploration: clients left, actors right, time going down. A message leaves
// where it was sent and arrives where it is received; what never arrived is dotted.
import { short, svg } from "./dom";
import { defs } from "./lanes";
import type { Finding, Graph } from "./model";

// The row of the picture in which a step (from 0) happens: each step has one, answers follow.
export function rowsOfSteps(g: Graph, steps: number): number[] {
  const receives = [...new Set(g.edges.filter((e) => e.style !== "observed" && e.style !== "witness" && e.style !== "undelivered").map((e) => g.nodes[e.to].level))].sort((a, b) => a - b);
  return receives.slice(0, steps);
}

export function laneName(lane: string): string { return /^\d+$/.test(lane) ? `actor ${lane}` : lane; }

export function messagesPicture(f: Finding, step: number, width: number, height: number, go: (step: number) => void): SVGElement {
  const g = f.graph!, heads = g.lanes!, narrow = width < 480, left = narrow ? 34 : 70, delivered = g.edges.filter((e) => e.style !== "undelivered"), levels = Math.max(...delivered.flatMap((e) => [g.nodes[e.from].level, g.nodes[e.to].level]), 1);
  const dx = Math.max(narrow ? 46 : 70, (width - left - 40) / heads.length), top = 76, dy = Math.max(34, Math.min(54, (height - top - 40) / (levels + 1)));
  const full = Math.max(width, left + heads.length * dx), x = (n: number) => left + (g.nodes[n].column + 0.5) * dx, y = (level: number) => top + (level - 0.5) * dy;
  const bottom = y(levels) + 24, rows = rowsOfSteps(g, f.witness.length), upto = step < 0 ? 0 : step + 1 < rows.length ? rows[step + 1] - 1 : levels + 1;
  const out = svg("svg", { viewBox: `0 0 ${full} ${bottom + 20}`, width: full, height: bottom + 20, class: "lanes messages", role: "img", "aria-label": "message sequence" }, defs());
  if (rows[step] !== undefined) {
    const bad = step === f.witness.length - 1, end = rows[step + 1] ?? levels + (bad ? 0.6 : 0);
    const band = { x: 0, y: y(rows[step]) - dy / 2, height: Math.max(dy, (end - rows[step]) * dy) };
    out.append(svg("rect", { ...band, width: full, class: bad ? "now bad" : "now" }), svg("rect", { ...band, width: 3, class: bad ? "edge bad" : "edge" }));
  }
  const lastClient = heads.reduce((n, h, i) => (/^c\d+$/.test(h) ? i : n), -1);
  heads.forEach((h, i) => {
    const at = left + (i + 0.5) * dx, client = /^c\d+$/.test(h);
    out.append(svg("line", { x1: at, x2: at, y1: 62, y2: bottom, class: "lane" }), svg("text", { x: at, y: 34, "text-anchor": "middle", class: "w" }, svg("title", {}, laneName(h)), short(narrow ? h : laneName(h), Math.floor(dx / 7.6))),
      svg("text", { x: at, y: 50, "text-anchor": "middle", class: "s" }, narrow ? "" : client ? "client" : ""));
    if (i === lastClient && i + 1 < heads.length) out.append(svg("line", { x1: at + dx / 2, x2: at + dx / 2, y1: 24, y2: bottom, class: "rule" }));
  });
  for (const i of f.timeline?.intervals ?? []) { // the operations, on their clients' lanes
    const lane = heads.indexOf(i.lane), ends = g.edges.filter((e) => heads[g.nodes[e.from].column] === i.lane || heads[g.nodes[e.to].column] === i.lane);
    if (lane < 0 || !ends.length) continue;
    const levelsOf = ends.flatMap((e) => [g.nodes[e.from].level, g.nodes[e.to].level]), a = y(Math.min(...levelsOf)), b = i.style === "pending" ? bottom : y(Math.max(...levelsOf));
    out.append(svg("rect", { x: left + (lane + 0.5) * dx - 6, y: a, width: 12, height: Math.max(8, b - a), rx: 3, class: `operation ${i.style}${Math.min(...levelsOf) > upto ? " fut" : ""}`, ...(i.style === "pending" ? { fill: "url(#hatch-1)" } : {}) }, svg("title", {}, i.label)));
  }
  g.edges.forEach((e) => {
    const answers = e.style === "observed" || e.style === "witness"; // told at once: a line of its own
    const x1 = x(e.from), x2 = x(e.to), y2 = y(g.nodes[e.to].level), y1 = answers ? y2 : y(g.nodes[e.from].level), late = g.nodes[e.to].level > upto && !(e.style === "undelivered" && g.nodes[e.from].level <= upto);
    const lost = e.style === "undelivered", kind = lost ? "undelivered" : e.style === "dashed" ? "lost" : e.style === "witness" ? "wrong" : e.style === "observed" ? "answer" : "message";
    const gap = x2 > x1 ? 8 : -8, head = kind === "wrong" || kind === "lost" ? "bad" : lost ? "acc" : "ink";
    const d = x1 === x2 ? `M${x1} ${y1}C${x1 + 46} ${y1} ${x2 + 46} ${y2} ${x2 + 6} ${y2}` : lost ? `M${x1 + gap} ${y1}C${x2} ${y1} ${x2 - gap} ${y1} ${x2 - gap} ${Math.min(y2, y1 + dy * 1.4)}` : `M${x1 + gap} ${y1}L${x2 - gap} ${y2}`;
    const room = Math.floor((Math.abs(x2 - x1) + dx * 0.6) / 6.9), steep = Math.abs(y2 - y1) > dy * 1.5;
    const name = lost ? short(e.label.replace(/\(.*$/, ""), 16) + ", not delivered" : e.label, label = lost ? name : short(name, Math.max(8, room)), lx = lost ? x2 + 14 : steep ? x2 - gap * 2 : (x1 + x2) / 2, over = lost && lx + label.length * 6.6 > full;
    out.append(svg("g", { class: late ? "row fut" : "row" }, svg("title", {}, `${laneName(heads[g.nodes[e.from].column])} to ${laneName(heads[g.nodes[e.to].column])}: ${e.label}${lost ? ", not delivered" : ""}`),
      svg("path", { d, class: kind, "marker-end": `url(#head-${head})` }), svg("text", { x: over ? x2 - 12 : lx, y: lost ? Math.min(y2, y1 + dy * 1.4) + 4 : (steep ? y2 : (y1 + y2) / 2) - 8, "text-anchor": lost ? (over ? "end" : "start") : steep ? (x2 > x1 ? "end" : "start") : "middle", class: `halo ${kind === "wrong" ? "bad w" : lost ? "acc" : ""}` }, label)));
  });
  rows.forEach((level, i) => {
    const hit = svg("rect", { x: 0, y: y(level) - dy / 2, width: full, height: dy, class: "hit" });
    hit.addEventListener("click", () => go(i));
    out.append(svg("g", { "data-row": i + 1 }, svg("text", { x: narrow ? 8 : 20, y: y(level) + 4.5, class: i > step ? "s fut" : "s" }, String(i + 1)), hit));
  });
  return out;
}
