// One name for each thread, one shape for each involved thread, one colour for each lock: the same
// in the sentence, the picture, the source panes and the ring.
import { el, short, svg, type Child } from "./dom";
import type { Finding } from "./model";

export const COLOURS = 6, SHAPES = 6;

// "goroutine 4 (github.com/x/pool.(*Pool).run)" is known to its readers as "pool.(*Pool).run".
function plain(name: string): string {
  const inner = /^goroutine \d+ \((.*)\)$/.exec(name)?.[1] ?? name;
  return inner.slice(inner.lastIndexOf("/") + 1);
}

export class Names {
  private byPath = new Map<string, { name: string; label: string; more: string }>();
  private byLabel = new Map<string, string>();
  private pattern: RegExp | null;

  constructor(private f: Finding, private involved: string[], private locks: string[]) {
    const seen = new Map<string, number>();
    const add = (path: string, label: string, name: string | undefined, first: string | undefined, started: string | undefined, called = "") => {
      if (this.byPath.has(path)) return;
      const own = (name && called) || plain(name || first || "") || (/^\d+$/.test(label) ? `thread ${label}` : label);
      seen.set(own, (seen.get(own) ?? 0) + 1);
      const more = [`thread ${label}`, name && name !== own ? name : "", !name && first ? `first seen in ${first}` : "", started ? `started at ${started}` : ""];
      this.byPath.set(path, { name: own, label, more: more.filter((x) => x).join(", ") });
      this.byLabel.set(label, path);
    };
    for (const t of f.threads ?? []) add(t.path, t.thread, t.name, t.first, t.started, t.called);
    for (const s of [...f.locations, ...f.witness, ...(f.observed ?? [])]) add(s.path, s.thread, s.name, undefined, undefined);
    for (const t of this.byPath.values())
      if (seen.get(t.name)! > 1 && !t.name.startsWith(`thread ${t.label}`)) t.name = `${t.name} ${t.label}`;
    // Where a text has both number and name, one of the two is enough.
    const threads = [...this.byLabel].slice(0, 100).flatMap(([l, path]) => {
      const name = (f.threads ?? f.locations).find((t) => t.path === path)?.name;
      return name ? [`thread ${l} (${name})`, `thread ${l} ${name}`, `thread ${l}`] : [`thread ${l}`];
    });
    const words = [...threads, ...locks.slice(0, 40)].filter((w) => w.length > 0 && w.length < 200);
    words.sort((a, b) => b.length - a.length);
    this.pattern = words.length ? new RegExp(`(?<![\\w.])(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?!\\w|\\.\\w)`, "g") : null;
  }

  of(path: string): string { return this.byPath.get(path)?.name ?? path; }
  // "thread 2", if the name does not say so itself.
  number(path: string): string {
    const t = this.byPath.get(path);
    const goroutine = /goroutine \d+/.exec(t?.more ?? "");
    if (goroutine) return goroutine[0];
    return t && /^\d+$/.test(t.label) && !t.name.startsWith(`thread ${t.label}`) ? `thread ${t.label}` : "";
  }
  title(path: string): string {
    const t = this.byPath.get(path);
    return t ? (t.name === t.more ? t.name : `${t.name}: ${t.more}`) : path;
  }
  shape(path: string): number { return this.involved.indexOf(path); }
  colour(lock: string): number { const i = this.locks.indexOf(lock); return i < 0 ? -1 : i % COLOURS; }

  thread(path: string, limit = 40): HTMLElement {
    const shape = this.shape(path);
    return el("span", { class: "nm", title: this.title(path) }, shape >= 0 && glyphIcon(shape), short(this.of(path), limit));
  }
  lock(name: string, limit = 40): HTMLElement {
    const c = this.colour(name);
    return el("span", { class: c < 0 ? "lk none" : `lk c${c}`, title: name }, short(name, limit));
  }
  private split(text: string): string[] { return this.pattern ? text.split(this.pattern) : [text]; }
  private pathOf(word: string): string | undefined {
    if (!word.startsWith("thread ")) return undefined;
    return this.byLabel.get(word.slice(7)) ?? this.byLabel.get(word.slice(7).split(" ")[0]);
  }
  // The text with threads by their names.
  plain(text: string): string {
    return this.split(text).map((w) => { const p = this.pathOf(w); return p ? this.of(p) : w; }).join("");
  }
  // The text with the marks of threads and locks.
  rich(text: string): Child[] {
    return this.split(text).map((w, i) => {
      const path = this.pathOf(w);
      if (path) return this.thread(path);
      return i % 2 && this.locks.includes(w) ? this.lock(w) : w;
    });
  }
}

// A thread's mark: circle, square, triangle, diamond, hexagon, cross; then again, hollow.
export function shapePath(shape: number, x: number, y: number, r: number): string {
  const p = (points: [number, number][]) => "M" + points.map(([a, b]) => `${(x + a * r).toFixed(1)} ${(y + b * r).toFixed(1)}`).join("L") + "z";
  switch (shape % SHAPES) {
    case 0: return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 1: return p([[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]]);
    case 2: return p([[0, -1], [1.05, 0.85], [-1.05, 0.85]]);
    case 3: return p([[0, -1.15], [1.15, 0], [0, 1.15], [-1.15, 0]]);
    case 4: return p([[-0.55, -1], [0.55, -1], [1.1, 0], [0.55, 1], [-0.55, 1], [-1.1, 0]]);
    default: return p([[-0.35, -1.1], [0.35, -1.1], [0.35, -0.35], [1.1, -0.35], [1.1, 0.35], [0.35, 0.35], [0.35, 1.1], [-0.35, 1.1], [-0.35, 0.35], [-1.1, 0.35], [-1.1, -0.35], [-0.35, -0.35]]);
  }
}

export function glyph(shape: number, x: number, y: number, r: number, type = ""): SVGElement {
  return svg("path", { d: shapePath(shape, x, y, r), class: `glyph ${shape >= SHAPES ? "hollow" : ""} ${type}` });
}

export function glyphIcon(shape: number): SVGElement {
  return svg("svg", { width: 12, height: 12, class: "gl", "aria-hidden": "true" }, glyph(shape, 6, 6, 4.6));
}
