// The page's data: the findings document (the JSON contract) and traces as delta-coded columns.

export interface Place {
  role: string; thread: string; name?: string; path: string; location: string;
  function?: string; source?: string; event: string; index: number; committed?: boolean; frame?: number;
}
export interface Step {
  thread: string; name?: string; path: string; index: number; event: string; location: string;
  note?: string; state?: string; irrelevant?: boolean;
  // What it is about, for pictures; findings of older versions have none of it.
  does?: string; kind?: string; on?: string; value?: string; other?: string; carries?: string;
  waits?: boolean; odd?: boolean; frame?: number; at?: number;
}
export interface Frame { function: string; location: string; up?: number }
export interface ThreadNote { thread: string; name?: string; path: string; called?: string; first?: string; started?: string; events: number }
export interface Excerpt { file: string; from: number; lines: string[] }
export interface GraphNode { label: string; level: number; column: number; style: string }
export interface GraphEdge { from: number; to: number; label: string; style: string }
// With lanes it is a message sequence: nodes stand under the lane of their column, time goes down.
export interface Graph { title: string; nodes: GraphNode[]; edges: GraphEdge[]; lanes?: string[] }
export interface Interval { lane: string; label: string; start: number; end: number; style: string; location?: string }
export interface Timeline {
  title: string; intervals: Interval[]; edges: { from: number; to: number; label: string }[];
  others?: Interval[]; order?: number[]; state?: string; states?: string[];
  partial?: Partial_[]; // of each interval
}
// A longest order that has some interval, and the object's state after each of its operations.
export interface Partial_ { order?: number[]; states?: string[] }
export interface Finding {
  id: string; rule: string; level: string; verdict: string; message: string; explanation: string;
  trace?: string; channel?: string; lock?: string; variable?: string; object?: string;
  locations: Place[]; witness: Step[]; observed?: Step[]; frames?: Frame[]; threads?: ThreadNote[]; facts: { label: string; text: string }[];
  graph?: Graph; timeline?: Timeline; count: number; suppressed?: boolean;
  completeness: { exhausted: boolean; bound: string | null };
}
export interface Document_ {
  schema: string; tool: { name: string; version: string };
  traces: { name: string; events: number; threads: number; truncated: boolean }[];
  completeness: { exhausted: boolean; bound: string | null };
  findings: Finding[]; sources?: Excerpt[]; stats: Record<string, unknown>;
}

export interface TraceTables {
  name: string; events: number; kinds: string[];
  threads: { label: string; name: string; path: string }[];
  objects: { kind: string; name: string }[];
  places: string[];
}

// Columns of one trace; ids index the tables from 1, 0 is none.
export class Trace {
  thread: Uint32Array; kind: Uint8Array; object: Uint32Array; place: Uint32Array;
  partner: Int32Array; value: Float64Array;
  // Events of each thread, in order: rows.subarray(start[t], start[t + 1]).
  start: Uint32Array; rows: Uint32Array;
  sharing: boolean;

  constructor(public tables: TraceTables, bytes: Uint8Array) {
    const n = tables.events;
    const columns = [0, 1, 2, 3, 4, 5].map(() => new Float64Array(n));
    let at = 0;
    for (const column of columns) {
      let last = 0;
      for (let i = 0; i < n; i++) {
        let shift = 1, raw = 0, byte;
        do { byte = bytes[at++]; raw += (byte & 127) * shift; shift *= 128; } while (byte > 127);
        last += raw % 2 ? -(raw + 1) / 2 : raw / 2;
        column[i] = last;
      }
    }
    this.thread = Uint32Array.from(columns[0]);
    this.kind = Uint8Array.from(columns[1]);
    this.object = Uint32Array.from(columns[2]);
    this.place = Uint32Array.from(columns[3]);
    this.partner = Int32Array.from(columns[4], (p) => p - 1);
    this.value = columns[5];
    const threads = tables.threads.length;
    this.start = new Uint32Array(threads + 1);
    for (let i = 0; i < n; i++) this.start[this.thread[i]]++;
    for (let t = 1; t <= threads; t++) this.start[t] += this.start[t - 1];
    this.rows = new Uint32Array(n);
    const next = this.start.slice();
    for (let t = threads; t > 0; t--) next[t] = this.start[t - 1];
    for (let i = 0; i < n; i++) this.rows[next[this.thread[i]]++] = i;
    this.sharing = n > 0;
  }

  threadEvents(t: number): Uint32Array { return this.rows.subarray(this.start[t - 1], this.start[t]); }

  // The event that is `index` (from 0) in the thread with this creation path, or -1.
  find(path: string, index: number): number {
    const t = this.tables.threads.findIndex((x) => x.path === path) + 1;
    const rows = t ? this.threadEvents(t) : new Uint32Array(0);
    return index < rows.length ? rows[index] : -1;
  }

  text(i: number): string {
    const kind = this.tables.kinds[this.kind[i]], object = this.object[i];
    const name = object ? this.tables.objects[object - 1].name : "";
    const value = kind === "write" || kind === "read" || kind === "rmw" ? "=" + this.value[i] : "";
    return name ? `${kind}(${name})${value}` : kind;
  }

  // Everything that must come before event i (or after, when `forward`), as marks per event:
  // program order and communications.
  cone(i: number, forward: boolean): Uint8Array {
    const n = this.tables.events, mark = new Uint8Array(n), back: Map<number, number[]> = new Map();
    if (forward)
      for (let k = 0; k < n; k++)
        if (this.partner[k] >= 0) back.set(this.partner[k], [...(back.get(this.partner[k]) ?? []), k]);
    const position = new Uint32Array(n);
    for (let t = 1; t <= this.tables.threads.length; t++)
      this.threadEvents(t).forEach((row, k) => { position[row] = k; });
    const todo = [i];
    while (todo.length) {
      let row = todo.pop()!;
      const rows = this.threadEvents(this.thread[row]);
      for (let k = position[row]; k >= 0 && k < rows.length; k += forward ? 1 : -1) {
        row = rows[k];
        if (mark[row]) break;
        mark[row] = 1;
        if (forward) for (const other of back.get(row) ?? []) { if (!mark[other]) todo.push(other); }
        else if (this.partner[row] >= 0 && !mark[this.partner[row]]) todo.push(this.partner[row]);
      }
    }
    return mark;
  }
}

interface DiffSide { events: number; next: string; location: string }
export interface Diff { shared: number; threads: { path: string; thread: string; name: string; shared: number; first: DiffSide; second: DiffSide }[] }

export function diff(): Diff | undefined {
  const text = block("foresee-diff");
  return text ? parse(text) : undefined;
}

async function inflate(base64: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function block(id: string): string { return document.getElementById(id)?.textContent ?? ""; }

// What a name must not do to the text around it, turning its direction say, is shown as \\u202e.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function parse(text: string) {
  return JSON.parse(text, (_, v) => typeof v !== "string" ? v
    : v.replace(unseen, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));
}

export function findings(): Document_ { return parse(block("foresee-findings")); }

export async function traces(): Promise<Trace[]> {
  const out: Trace[] = [];
  for (let i = 0; document.getElementById(`foresee-trace-${i}`); i++) {
    const tables = parse(block(`foresee-tables-${i}`)) as TraceTables;
    out.push(new Trace(tables, await inflate(block(`foresee-trace-${i}`))));
  }
  return out;
}
