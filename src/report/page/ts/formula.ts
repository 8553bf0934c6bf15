// A property as a tree whose parts are true or false at a step of a run. The past is known; what
// is said of the future is only decided where the steps so far decide it.

export interface Part { text: string; depth: number; parts: Part[]; value(at: number): boolean | null }
export type Atoms = (text: string, at: number) => boolean | null;

const BINARY: [RegExp, string][] = [[/^<->/, "if and only if"], [/^->/, "implies"], [/^\|\|/, "or"], [/^&&/, "and"], [/^(U|W|R|S)\b/, ""]];

class Reader {
  at = 0;
  constructor(private text: string, private atoms: Atoms) {}
  private blank() { while (/\s/.test(this.text[this.at] ?? "")) this.at++; }
  private take(re: RegExp): string | null {
    this.blank();
    const m = re.exec(this.text.slice(this.at));
    if (!m || m.index !== 0) return null;
    this.at += m[0].length;
    return m[0];
  }

  whole(): Part | null {
    const p = this.binary(0);
    this.blank();
    return p && this.at >= this.text.length ? p : null;
  }

  private binary(level: number): Part | null {
    if (level === BINARY.length) return this.unary();
    const left = this.binary(level + 1);
    if (!left) return null;
    const op = this.take(BINARY[level][0]);
    if (!op) return left;
    const right = this.binary(level);
    return right && combine(op, BINARY[level][1] || op, left, right);
  }

  private unary(): Part | null {
    const op = this.take(/^(\[\]|<>|!(?!=)|always\b|[GFXHOY]\b(?=\s*[\w(!\[<"]))/);
    if (op) {
      const inner = this.unary();
      return inner && prefix(op, inner);
    }
    const edge = this.take(/^(start|end)\s*\(/);
    if (edge) {
      const inner = this.binary(0);
      return inner && this.take(/^\)/) ? prefix(edge.startsWith("s") ? "start" : "end", inner) : null;
    }
    if (this.take(/^\[/)) {
      const from = this.binary(0), to = from && this.take(/^,/) ? this.binary(0) : null;
      return from && to && this.take(/^\)/) ? combine("[)", "", from, to) : null;
    }
    if (this.take(/^\(/)) {
      const start = this.at, inner = this.binary(0);
      if (inner && this.take(/^\)/)) return inner;
      this.at = start; // an arithmetic parenthesis: part of an atom
      this.at--;
    }
    return this.atom();
  }

  private atom(): Part | null {
    this.blank();
    let depth = 0, end = this.at;
    for (; end < this.text.length; end++) {
      const rest = this.text.slice(end);
      if (rest[0] === "(" || rest[0] === "[") depth++;
      else if (rest[0] === ")" || rest[0] === "]") { if (!depth) break; depth--; } else if (!depth && rest[0] === ",") break;
      else if (!depth && /^(<->|->|\|\||&&)/.test(rest)) break;
      else if (!depth && /^\s(U|W|R|S)\s/.test(rest)) break;
    }
    const text = this.text.slice(this.at, end).trim();
    if (!text) return null;
    this.at = end;
    return { text, depth: 0, parts: [], value: (k) => this.atoms(text, k) };
  }
}

function not(v: boolean | null): boolean | null { return v === null ? null : !v; }
function and(a: boolean | null, b: boolean | null): boolean | null { return a === false || b === false ? false : a === null || b === null ? null : true; }
function or(a: boolean | null, b: boolean | null): boolean | null { return not(and(not(a), not(b))); }

function combine(op: string, words: string, a: Part, b: Part): Part {
  const since = (k: number): boolean | null => or(b.value(k), k > 0 ? and(a.value(k), since(k - 1)) : false);
  const value = (k: number): boolean | null => {
    if (op === "->") return or(not(a.value(k)), b.value(k));
    if (op === "<->") { const x = a.value(k), y = b.value(k); return x === null || y === null ? null : x === y; }
    if (op === "&&") return and(a.value(k), b.value(k));
    if (op === "||") return or(a.value(k), b.value(k));
    if (op === "[)") return lasts(k);
    return op === "S" ? since(k) : null;
  };
  const lasts = (k: number): boolean | null => and(not(b.value(k)), or(a.value(k), k > 0 ? lasts(k - 1) : false));
  if (op === "[)") return { text: `from ${brief(a)} until ${brief(b)}`, depth: 0, parts: [a, b], value };
  const name = op === "S" ? "since" : op === "U" ? "until" : op === "W" ? "unless" : op === "R" ? "releases" : words;
  return { text: `${brief(a)} ${name} ${brief(b)}`, depth: 0, parts: [a, b], value };
}

function prefix(op: string, inner: Part): Part {
  const earlier = (k: number) => Array.from({ length: k + 1 }, (_, i) => inner.value(i));
  const rules: Record<string, [string, (k: number) => boolean | null]> = {
    "!": ["not", (k) => not(inner.value(k))],
    "[]": ["always", (k) => (earlier(k).some((v) => v === false) ? false : null)], G: ["always", (k) => (earlier(k).some((v) => v === false) ? false : null)],
    "<>": ["some time", (k) => (earlier(k).some((v) => v === true) ? true : null)], F: ["some time", (k) => (earlier(k).some((v) => v === true) ? true : null)],
    always: ["always", (k) => (earlier(k).some((v) => v === false) ? false : null)], H: ["always so far", (k) => earlier(k).reduce(and, true)],
    start: [`${brief(inner)} begins`, (k) => (k > 0 ? and(inner.value(k), not(inner.value(k - 1))) : false)],
    end: [`${brief(inner)} ends`, (k) => (k > 0 ? and(not(inner.value(k)), inner.value(k - 1)) : false)], O: ["once", (k) => earlier(k).reduce(or, false)],
    Y: ["just before", (k) => (k > 0 ? inner.value(k - 1) : false)], X: ["next", () => null],
  };
  const [word, value] = rules[op];
  return { text: word === "not" ? `not ${brief(inner)}` : word, depth: 0, parts: [inner], value };
}

function brief(p: Part): string { return p.text.length > 60 ? "…" : p.text; }

// "name: formula" → its parts from the whole to the atoms, or null if it is not of this kind.
export function parts(text: string, atoms: Atoms): Part[] | null {
  const root = new Reader(text, atoms).whole(), out: Part[] = [];
  const walk = (p: Part, depth: number) => { p.depth = depth; out.push(p); for (const q of p.parts) walk(q, depth + 1); };
  if (!root) return null;
  walk(root, 0);
  return out.length <= 24 ? out : null;
}
