// From the steps of a finding to the rows of its picture: who is involved, which steps are shown,
// which locks are held from where to where, who waits for whom, which steps moved.
import { short } from "./dom";
import type { Finding, Step } from "./model";
import { Names } from "./names";

export type Which = "witness" | "observed";
export interface Row {
  step: Step | null;      // null: steps that are folded
  folded: number; lane: number; words: string; bad: boolean; waits: boolean;
  moved: "" | "earlier" | "later"; beside: boolean; // on one line with the row before
}
export interface Held { lane: number; lock: string; from: number; to: number; slot: number }
export interface Wait { lane: number; row: number; on: string; for: number } // for: a lane, or -1
export interface Arrow { from: number; fromLane: number; to: number; toLane: number; kind: "start" | "message" | "was" }
export interface Lane { path: string; fold: boolean; paths: string[] }
export interface Run { rows: Row[]; held: Held[]; waits: Wait[]; arrows: Arrow[] }

const MOST_LANES = 8, MOST_ROWS = 70, FEW_ROWS = 40;

export class Story {
  involved: string[]; lanes: Lane[] = []; locks: string[] = []; names: Names; more: number;
  private runs = new Map<Which, Run>();

  constructor(public f: Finding, threads: number, room: number) {
    const all = [...f.witness, ...(f.observed ?? [])];
    const placed = [...new Set(f.locations.map((p) => p.path))];
    const known = new Set(all.map((s) => s.path));
    this.involved = (placed.length ? placed.filter((p) => !all.length || known.has(p)) : [...known]).slice(0, Math.max(2, Math.min(MOST_LANES, room)));
    if (!this.involved.length) this.involved = placed.slice(0, MOST_LANES);
    for (const s of all)
      if (s.on && /lock|cwoken|cwait|acquire|release|wg|barrier|once|misuse/.test(s.kind ?? "") && !this.locks.includes(s.on)
        && this.involved.includes(s.path)) this.locks.push(s.on);
    const others = [...new Set(f.witness.map((s) => s.path))].filter((p) => !this.involved.includes(p));
    this.lanes = this.involved.map((path) => ({ path, fold: false, paths: [path] }));
    this.more = Math.max(others.length, threads - this.involved.length);
    if (others.length === 1 && this.more <= 1) this.lanes.push({ path: others[0], fold: false, paths: others });
    else if (this.more > 0 && all.length) this.lanes.push({ path: "", fold: true, paths: others });
    this.names = new Names(f, this.involved, this.locks);
  }

  has(which: Which): boolean { return (which === "witness" ? this.f.witness : this.f.observed ?? []).length > 0; }
  run(which: Which): Run {
    const made = this.runs.get(which) ?? this.build(which);
    this.runs.set(which, made);
    return made;
  }
  lane(path: string): number {
    const i = this.lanes.findIndex((l) => l.path === path);
    return i >= 0 || !this.lanes[this.lanes.length - 1]?.fold ? i : this.lanes.length - 1;
  }
  // The row of the event, or of the next one that is shown.
  rowOf(which: Which, step: Step): number {
    const rows = this.run(which).rows;
    const same = rows.findIndex((r) => r.step?.path === step.path && r.step.index === step.index);
    return same >= 0 ? same : rows.findIndex((r) => r.step?.path === step.path && r.step.index > step.index);
  }

  // Of a property's run, as of its witness, the steps that change what the property speaks of.
  private stepsOf(which: Which): Step[] {
    const steps = which === "witness" ? this.f.witness : this.f.observed ?? [], state = this.f.witness.find((s) => s.state)?.state;
    if (which === "witness" || this.f.rule !== "property-violation" || !state) return steps;
    const names = new Set([...state.split(" | ")[0].matchAll(/([^\s=]+)=/g)].map((m) => m[1]));
    return steps.filter((s) => s.on && names.has(s.on) && (s.kind === "write" || s.kind === "rmw"));
  }

  private build(which: Which): Run {
    const steps = this.stepsOf(which);
    const shown = fold(this.choose(steps), this);
    const rows: Row[] = [], at = new Map<Step, number>();
    for (const s of shown) {
      if (s.step) at.set(s.step, rows.length);
      rows.push(s);
    }
    const where: number[] = []; // of every step: the row that it belongs to
    let next = 0;
    for (const s of steps) {
      const own = at.get(s);
      if (own !== undefined) next = own + 1;
      where.push(own ?? Math.max(0, next));
    }
    if (which === "witness") markMoved(rows);
    if (this.f.rule === "data-race")
      for (let i = 1; i < rows.length; i++) rows[i].beside = rows[i].bad && rows[i - 1].bad && rows[i].lane !== rows[i - 1].lane;
    const held = heldLocks(this, steps, where, rows.length);
    return { rows, held, waits: this.waits(rows, held), arrows: this.arrows(rows, which) };
  }

  // Without begins, without waits that were over at once, without what does not matter.
  private choose(steps: Step[]): Row[] {
    const relevant = steps.length > 14 && steps.some((s) => !s.irrelevant); // a short run is shown whole
    const last = new Map(steps.map((s, i) => [s.path, i]));
    const next: number[] = [], following = new Map<string, number>();
    for (let i = steps.length - 1; i >= 0; i--) { next[i] = following.get(steps[i].path) ?? -1; following.set(steps[i].path, i); }
    const places = new Set(this.f.locations.map((p) => `${p.path}/${p.index}`));
    return steps.flatMap((s, i) => {
      const after = next[i] >= 0 ? steps[next[i]] : null;
      const over = s.waits && after !== null && (s.kind === "pre" || (after.kind === s.kind && after.on === s.on)) && !s.note;
      if (s.kind === "wait" || over || (s.irrelevant && relevant && !s.note)) return [];
      const lane = this.lane(s.path);
      if (lane < 0) return [];
      const involved = this.involved.includes(s.path), bad = involved && (badNote(s.note) || s.kind === "misuse");
      const waits = involved && !!s.waits && (last.get(s.path) === i || bad);
      const words = this.names.plain(s.does ?? s.event);
      return [{ step: s, folded: 0, lane, words, bad: bad || (waits && places.has(`${s.path}/${s.index}`)), waits, moved: "" as const, beside: false }];
    });
  }

  private waits(rows: Row[], held: Held[]): Wait[] {
    return rows.flatMap((r, i) => {
      if (!r.waits || !r.step) return [];
      const holder = r.step.on ? held.find((h) => h.lock === r.step!.on && h.to >= i && h.lane !== r.lane) : undefined;
      const other = r.step.other && r.step.kind === "join" ? this.lane(r.step.other) : -1;
      return [{ lane: r.lane, row: i, on: r.step.on ?? "", for: holder ? holder.lane : other }];
    });
  }

  private arrows(rows: Row[], which: Which): Arrow[] {
    const out: Arrow[] = [], sent = new Map<string, number>();
    const observed = new Map((this.f.observed ?? []).map((s) => [`${s.path}/${s.index}`, s]));
    const senders = new Map((this.f.observed ?? []).filter((s) => s.kind === "send" && s.carries).map((s) => [s.carries!, s]));
    rows.forEach((r, i) => { if (r.step?.kind === "send" && r.step.carries) sent.set(r.step.carries, i); });
    rows.forEach((r, i) => {
      const s = r.step;
      if (!s) return;
      const child = s.kind === "signal" && s.other ? this.lane(s.other) : -1;
      if (child >= 0 && child !== r.lane && !this.lanes[child].fold) out.push({ from: i, fromLane: r.lane, to: i, toLane: child, kind: "start" });
      const from = s.kind === "receive" && s.carries ? sent.get(s.carries) : undefined;
      if (from !== undefined && rows[from].lane !== r.lane) out.push({ from, fromLane: rows[from].lane, to: i, toLane: r.lane, kind: "message" });
      const was = which === "witness" && s.kind === "receive" ? observed.get(`${s.path}/${s.index}`) : undefined;
      const sender = was?.carries && was.carries !== s.carries ? senders.get(was.carries) : undefined;
      const row = sender ? rows.findIndex((x) => x.step?.path === sender.path && x.step.index === sender.index) : -1;
      if (row >= 0) out.push({ from: row, fromLane: rows[row].lane, to: i, toLane: r.lane, kind: "was" });
    });
    return out;
  }
}

function badNote(note: string | undefined): boolean {
  return !!note && /block|race|violat|BAD|panic|closed|stuck|dead|wrong|too early|too late/i.test(note);
}

// What many rows leave out: what uninvolved threads do, then memory that is not at a place.
function fold(rows: Row[], story: Story): Row[] {
  const lanes = story.lanes, start = (r: Row) => r.step?.kind === "signal" && story.involved.includes(r.step.other ?? "");
  let out = squeeze(rows, (r) => lanes[r.lane].fold && !r.bad && !start(r), 1);
  if (out.length > FEW_ROWS) out = squeeze(out, (r) => !story.involved.includes(lanes[r.lane].path) && !r.bad && !start(r), 2);
  const quiet = (r: Row) => !r.bad && !r.step?.note && /^(read|write|rmw|alloc|free|fence)$/.test(r.step?.kind ?? "");
  if (out.length > FEW_ROWS) out = squeeze(out, quiet, 3);
  if (out.length <= MOST_ROWS) return out;
  const cut = out.length - MOST_ROWS;
  const early = out.slice(0, cut).reduce((n, r) => n + (r.folded || 1), 0);
  return [foldRow(early, out[0].lane, "earlier steps"), ...out.slice(cut)];
}

function foldRow(n: number, lane: number, what = "steps"): Row {
  return { step: null, folded: n, lane, words: `${n} ${n === 1 ? what.replace(/s$/, "") : what}, folded`, bad: false, waits: false, moved: "", beside: false };
}

function squeeze(rows: Row[], drop: (r: Row) => boolean, least: number): Row[] {
  const out: Row[] = [];
  for (let i = 0; i < rows.length;) {
    let k = i, n = 0;
    while (k < rows.length && rows[k].lane === rows[i].lane && (rows[k].folded || drop(rows[k]))) n += rows[k++].folded || 1;
    if (k - i >= least) { out.push(foldRow(n, rows[i].lane)); i = k; } else out.push(rows[i++]);
  }
  return out;
}

// Most steps keep the order in which they were observed; those that do not have moved.
function markMoved(rows: Row[]) {
  const list = rows.filter((r) => r.step?.at !== undefined), best: number[] = [], before: number[] = [];
  list.forEach((r, i) => {
    const weight = r.bad ? 1.5 : 1; // what goes wrong stays, what led to it has moved
    best[i] = weight; before[i] = -1;
    for (let k = 0; k < i; k++)
      if (list[k].step!.at! < r.step!.at! && best[k] + weight > best[i]) { best[i] = best[k] + weight; before[i] = k; }
  });
  let at = best.indexOf(Math.max(...best));
  const kept = new Set<Row>();
  for (; at >= 0; at = before[at]) kept.add(list[at]);
  list.forEach((r, i) => {
    if (!kept.has(r)) r.moved = list.slice(i + 1).some((x) => kept.has(x) && x.step!.at! < r.step!.at!) ? "earlier" : "later";
  });
}

function heldLocks(story: Story, steps: Step[], where: number[], rows: number): Held[] {
  const open = new Map<string, Held & { depth: number }>(), out: Held[] = [];
  steps.forEach((s, i) => {
    const lane = story.lanes.findIndex((l) => l.path === s.path && !l.fold), key = `${s.path} ${s.on}`;
    if (lane < 0 || !s.on || s.waits || s.odd || !story.locks.includes(s.on)) return;
    const is = open.get(key);
    if (/^(try)?r?lock$/.test(s.kind ?? "")) {
      if (is) { is.depth++; return; }
      const slots = [...open.values()].filter((h) => h.lane === lane).map((h) => h.slot);
      let slot = 0;
      while (slots.includes(slot)) slot++;
      open.set(key, { lane, lock: s.on, from: where[i], to: rows, slot, depth: 1 });
    } else if (/^r?unlock$/.test(s.kind ?? "") && is && --is.depth === 0) {
      out.push({ ...is, to: where[i] });
      open.delete(key);
    }
  });
  return [...out, ...open.values()];
}

// What the slider says of a row.
export function saying(story: Story, which: Which, k: number): string {
  const run = story.run(which), row = run.rows[k];
  if (!row) return "before the first step";
  if (!row.step) return row.words;
  const wait = run.waits.find((w) => w.row === k);
  const holder = wait && wait.for >= 0 && wait.on ? `, held by ${story.names.of(story.lanes[wait.for].path)}` : "";
  const beside = row.beside ? ", at the same moment" : "";
  return `${short(story.names.of(row.step.path), 40)} ${row.words}${holder}${beside}`;
}
