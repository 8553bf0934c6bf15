// The whole run in a strip: the involved threads first, all others in one row. However many
// events there are, they become bins of a few pixels; a click goes to the nearest step.
import { el, short } from "./dom";
import type { Trace } from "./model";
import type { Story, Which } from "./story";

const NAMES = 92, LOCK = /^(try)?r?lock$/;

interface Bins { name: string; shade: Float32Array; colour: Int8Array }

function bins(trace: Trace, path: string | null, others: Set<string>, story: Story, n: number): Bins {
  const events = Math.max(trace.tables.events, 1), shade = new Float32Array(n), colour = new Int8Array(n).fill(-1), locks = new Map(trace.tables.objects.map((o, i) => [i + 1, story.names.colour(o.name)]));
  trace.tables.threads.forEach((t, i) => {
    if (path !== null ? t.path !== path : others.has(t.path)) return;
    const held: number[] = [];
    for (const e of trace.threadEvents(i + 1)) {
      const k = Math.min(n - 1, Math.floor((e / events) * n)), kind = trace.tables.kinds[trace.kind[e]], object = trace.object[e];
      if (path !== null && LOCK.test(kind) && held[held.length - 1] !== object) held.push(object);
      shade[k]++;
      if (held.length) colour[k] = locks.get(held[held.length - 1]) ?? -1;
      if (path !== null && /^r?unlock$/.test(kind) && held.lastIndexOf(object) >= 0) held.splice(held.lastIndexOf(object), 1);
    }
  });
  const rest = trace.tables.threads.filter((t) => !others.has(t.path));
  return { name: path !== null ? story.names.of(path) : rest.length === 1 ? story.names.of(rest[0].path) : `${rest.length} more`, shade, colour };
}

export class Overview {
  readonly element: HTMLElement;
  private canvas = el("canvas", { class: "strip", tabindex: "-1" });
  private rows: Bins[] = [];
  private count = 0;
  frame = 0;

  constructor(private trace: Trace, private story: Story, private which: Which, private step: number, private go: (step: number) => void, title: string) {
    const events = trace.tables.events;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `the observed run, ${events} events`);
    this.canvas.style.height = `${16 * Math.min(5, Math.min(4, story.involved.length) + 1) + 8}px`;
    this.element = el("div", { class: "card ov" }, el("p", {}, el("b", {}, "The observed run"), title), this.canvas);
    this.canvas.addEventListener("click", (e) => this.jump(e.offsetX));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  move(which: Which, step: number) { this.which = which; this.step = step; this.draw(); }

  private x(at: number) { return NAMES + ((at + 0.5) / Math.max(this.trace.tables.events, 1)) * (this.canvas.clientWidth - NAMES); }

  private jump(x: number) {
    let best = -1, near = Infinity;
    this.story.run(this.which).rows.forEach((r, i) => {
      const d = r.step?.at === undefined ? Infinity : Math.abs(this.x(r.step.at) - x);
      if (d < near) { near = d; best = i; }
    });
    if (best >= 0) this.go(best);
  }

  private fill(width: number) {
    const n = Math.max(8, Math.min(Math.floor((width - NAMES) / 3), Math.max(this.trace.tables.events, 1)));
    if (n === this.count) return;
    this.count = n;
    const mine = this.story.involved.slice(0, 4), named = new Set(mine);
    this.rows = mine.map((p) => bins(this.trace, p, named, this.story, n));
    if (this.trace.tables.threads.length > mine.length) this.rows.push(bins(this.trace, null, named, this.story, n));
  }

  draw() {
    const began = performance.now(), ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight, g = this.canvas.getContext("2d");
    if (!g || !width) return;
    this.fill(width);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const css = getComputedStyle(this.canvas), color = (name: string) => css.getPropertyValue(name).trim();
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = `11px ${color("--sans") || "sans-serif"}`;
    const h = Math.min(16, (height - 4) / Math.max(this.rows.length, 1)), w = (width - NAMES) / this.count, ink = color("--ink2"), dim = color("--ink3"), colours = [0, 1, 2, 3, 4, 5].map((i) => color(`--l${i}`));
    this.rows.forEach((row, i) => {
      const y = i * h + 2, most = Math.max(...row.shade);
      g.globalAlpha = 1;
      g.fillStyle = dim;
      g.fillText(short(row.name, 14), 0, y + h * 0.72);
      for (let k = 0; k < this.count; k++) {
        if (!row.shade[k]) continue;
        g.globalAlpha = 0.4 + 0.6 * (row.shade[k] / most);
        g.fillStyle = row.colour[k] >= 0 ? colours[row.colour[k]] : i < this.story.involved.length ? ink : dim;
        g.fillRect(NAMES + k * w, y + 2, Math.max(1, w - (w > 3 ? 1 : 0)), Math.max(2, h - 5));
      }
    });
    g.globalAlpha = 1;
    const at = this.story.run(this.which).rows[this.step]?.step?.at;
    if (at !== undefined) {
      const x = this.x(at), bad = this.story.run(this.which).rows[this.step].bad;
      g.fillStyle = color(bad ? "--bad" : "--ink");
      g.fillRect(x - 0.75, 0, 1.5, height);
      g.beginPath(); g.moveTo(x - 5, 0); g.lineTo(x + 5, 0); g.lineTo(x, 6); g.fill();
    }
    this.frame = performance.now() - began;
  }
}
