// The space-time diagram: threads as lanes, events in the observed order, communications as
// lines, other partners dashed. Canvas with levels of detail: each frame touches at most a few
// events per pixel, however long the trace.
import { button, el, short, threadTitle } from "./dom";
import type { Finding, Trace } from "./model";

const LEFT = 140, TOP = 24, LINES = 4000;

function lowerBound(rows: Uint32Array, value: number): number {
  let low = 0, high = rows.length;
  while (low < high) { const mid = (low + high) >> 1; if (rows[mid] < value) low = mid + 1; else high = mid; }
  return low;
}

export class SpaceTime {
  readonly element: HTMLElement;
  private canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": "space-time diagram: use the arrow keys to pan, plus and minus to zoom" });
  private label = el("p", { class: "mono picked", role: "status" }, "click an event");
  private from = 0; private to: number; private top = 0; private lane: number;
  private selected = -1; private past: Uint8Array | null = null; private future: Uint8Array | null = null;
  private alternatives: [number, number][] = [];
  frame = 0; // milliseconds of the last drawing, for the tests

  constructor(private trace: Trace, finding: Finding | undefined) {
    this.to = Math.max(trace.tables.events, 1);
    this.lane = Math.max(6, Math.min(36, 480 / Math.max(trace.tables.threads.length, 1)));
    // As high as its lanes, if those are few; tall traces are panned.
    this.canvas.style.height = `${Math.max(100, Math.min(520, TOP + trace.tables.threads.length * this.lane + 12))}px`;
    const find = el("input", { type: "search", placeholder: "Find an event or a place", "aria-label": "Find in the run" });
    find.addEventListener("keydown", (e) => { if (e.key === "Enter") this.hunt(find.value, e.shiftKey ? -1 : 1); e.stopPropagation(); });
    this.element = el("section", { class: "space", "aria-label": "space-time diagram" }, el("div", { class: "hunt" }, find, button({ class: "btn" }, () => this.whole(), "All of it")), this.canvas, this.label);
    if (finding && finding.locations.length > 1) {
      const ends = finding.locations.map((p) => trace.find(p.path, p.index)).filter((i) => i >= 0);
      if (ends.length > 1) this.alternatives.push([ends[0], ends[1]]);
      if (ends.length) this.focus(ends[0]);
    }
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  // The next event, from the chosen one on, whose text or place has the words.
  private hunt(words: string, by: number) {
    const n = this.trace.tables.events, t = this.trace.tables, wanted = words.toLowerCase();
    for (let k = 1; words && k <= n; k++) {
      const i = (((this.selected + by * k) % n) + n) % n, place = this.trace.place[i];
      if (this.trace.text(i).toLowerCase().includes(wanted) || (place && t.places[place - 1].toLowerCase().includes(wanted))) {
        this.focus(i);
        this.select(i);
        return;
      }
    }
    this.label.textContent = words ? `no event has "${words}"` : "click an event";
  }

  private whole() { this.from = 0; this.to = Math.max(this.trace.tables.events, 1); this.top = 0; this.draw(); }

  private focus(i: number) {
    const n = this.trace.tables.events, span = Math.min(n, 60);
    this.from = Math.max(0, Math.min(i - span / 2, n - span));
    this.to = this.from + Math.max(span, 1);
    this.top = Math.max(0, this.trace.thread[i] - 8);
  }

  private listen() {
    let drag: { x: number; y: number; from: number; top: number; moved: boolean } | null = null;
    this.canvas.addEventListener("pointerdown", (e) => {
      drag = { x: e.offsetX, y: e.offsetY, from: this.from, top: this.top, moved: false };
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!drag) return;
      drag.moved ||= Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 4;
      const perPixel = (this.to - this.from) / this.plotWidth();
      this.pan((drag.x - e.offsetX) * perPixel + drag.from - this.from, (drag.y - e.offsetY) / this.lane + drag.top - this.top);
    });
    this.canvas.addEventListener("pointerup", (e) => { if (drag && !drag.moved) this.pick(e.offsetX, e.offsetY); drag = null; });
    this.canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : 0.8, e.offsetX); }, { passive: false });
    this.canvas.addEventListener("keydown", (e) => this.key(e));
  }

  private key(e: KeyboardEvent) {
    const span = this.to - this.from;
    if (e.key === "ArrowLeft") this.pan(-span / 8, 0);
    else if (e.key === "ArrowRight") this.pan(span / 8, 0);
    else if (e.key === "ArrowUp") this.pan(0, -1);
    else if (e.key === "ArrowDown") this.pan(0, 1);
    else if (e.key === "+") this.zoom(0.7, this.plotWidth() / 2 + LEFT);
    else if (e.key === "-") this.zoom(1.4, this.plotWidth() / 2 + LEFT);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  private plotWidth() { return Math.max(this.canvas.clientWidth - LEFT, 50); }

  pan(events: number, lanes: number) {
    const span = this.to - this.from, n = this.trace.tables.events;
    this.from = Math.max(-span / 4, Math.min(this.from + events, n - span / 2));
    this.to = this.from + span;
    this.top = Math.max(0, Math.min(this.top + lanes, this.trace.tables.threads.length - 1));
    this.draw();
  }

  zoom(by: number, x: number) {
    const at = this.from + ((x - LEFT) / this.plotWidth()) * (this.to - this.from);
    const span = Math.max(8, Math.min((this.to - this.from) * by, this.trace.tables.events * 1.5 + 8));
    this.from = at - ((x - LEFT) / this.plotWidth()) * span;
    this.to = this.from + span;
    this.draw();
  }

  private pick(x: number, y: number) {
    const t = Math.floor((y - TOP) / this.lane + this.top) + 1;
    if (t < 1 || t > this.trace.tables.threads.length) return;
    const rows = this.trace.threadEvents(t), at = this.from + ((x - LEFT) / this.plotWidth()) * (this.to - this.from);
    let k = lowerBound(rows, at);
    if (k > 0 && (k === rows.length || at - rows[k - 1] < rows[k] - at)) k--;
    if (rows.length) this.select(rows[k]);
  }

  select(i: number) {
    this.selected = i;
    this.past = this.trace.cone(i, false);
    this.future = this.trace.cone(i, true);
    const place = this.trace.place[i], count = (m: Uint8Array) => m.reduce((a, b) => a + b, 0) - 1;
    const t = this.trace.tables.threads[this.trace.thread[i] - 1];
    this.label.textContent = `${this.trace.text(i)} in thread ${short(threadTitle(t.label, t.name), 60)}` +
      (place ? ` at ${this.trace.tables.places[place - 1]}` : "") +
      ` — ${count(this.past)} events must come before it, ${count(this.future)} after it`;
    this.draw();
  }

  draw() {
    const began = performance.now(), ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, g = this.canvas.getContext("2d");
    if (!g || !width) return;
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio)) this.canvas.height = Math.round(height * ratio);
    const css = getComputedStyle(this.canvas), named = new Map<string, string>();
    const color = (name: string) => {
      if (!named.has(name)) named.set(name, css.getPropertyValue(name).trim());
      return named.get(name)!;
    };
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "12px system-ui, sans-serif";
    const threads = this.trace.tables.threads, last = Math.min(threads.length, Math.ceil(this.top + (height - TOP) / this.lane));
    let drawn = 0;
    for (let t = Math.floor(this.top); t < last; t++) drawn += this.drawLane(g, t + 1, width, color);
    if (drawn < LINES) this.drawLines(g, last, color);
    this.frame = performance.now() - began;
  }

  private x(i: number) { return LEFT + ((i - this.from) / (this.to - this.from)) * this.plotWidth(); }
  private y(t: number) { return TOP + (t - 1 - this.top + 0.5) * this.lane; }

  private drawLane(g: CanvasRenderingContext2D, t: number, width: number, color: (n: string) => string): number {
    const rows = this.trace.threadEvents(t), y = this.y(t), info = this.trace.tables.threads[t - 1];
    const perPixel = (this.to - this.from) / this.plotWidth(), size = Math.min(6, this.lane / 3);
    g.fillStyle = color("--dim");
    g.fillRect(LEFT, y, width - LEFT, 1);
    if (this.lane >= 11) g.fillText(short(threadTitle(info.label, info.name), 20), 4, y + 4);
    const [bad, past, future, accent] = ["--bad", "--past", "--future", "--accent"].map(color);
    const grain = Math.max(perPixel * Math.max(1, size), 1); // closer ones would hide each other
    let k = lowerBound(rows, this.from), drawn = 0, lastShade = 1, lastStyle = "";
    while (k < rows.length && rows[k] <= this.to) {
      const i = rows[k], next = grain > 1 ? lowerBound(rows, i + grain) : k + 1;
      // A change of colour costs more than a rectangle: four shades are enough.
      const shade = perPixel > 1 ? 0.25 * Math.ceil(4 * Math.min(1, (next - k) / grain)) : 1;
      const style = i === this.selected ? bad : this.past?.[i] ? past : this.future?.[i] ? future : accent;
      if (shade !== lastShade) g.globalAlpha = lastShade = shade;
      if (style !== lastStyle) g.fillStyle = lastStyle = style;
      g.fillRect(this.x(i) - size / 2, y - size, size, size * 2);
      drawn++;
      k = Math.max(next, k + 1);
    }
    g.globalAlpha = 1;
    return drawn;
  }

  private drawLines(g: CanvasRenderingContext2D, last: number, color: (n: string) => string) {
    const line = (a: number, b: number) => {
      g.beginPath();
      g.moveTo(this.x(a), this.y(this.trace.thread[a]));
      g.lineTo(this.x(b), this.y(this.trace.thread[b]));
      g.stroke();
    };
    g.save(); // partners that are out of sight must not be drawn over the names
    g.beginPath();
    g.rect(LEFT - 3, 0, this.plotWidth() + 3, this.canvas.clientHeight);
    g.clip();
    g.strokeStyle = color("--accent");
    for (let t = Math.floor(this.top) + 1; t <= last; t++) {
      const rows = this.trace.threadEvents(t);
      for (let k = lowerBound(rows, this.from); k < rows.length && rows[k] <= this.to; k++)
        if (this.trace.partner[rows[k]] >= 0) line(this.trace.partner[rows[k]], rows[k]);
    }
    g.strokeStyle = color("--bad");
    g.setLineDash([5, 4]);
    for (const [a, b] of this.alternatives) line(a, b);
    g.restore();
  }
}
