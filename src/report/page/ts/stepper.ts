// Observed and witness run side by side, one step at a time; values that changed are marked.
import { el, short, threadTitle } from "./dom";
import { lanesOf } from "./findings";
import type { Finding, Trace } from "./model";

function states(before: string, after: string): HTMLElement {
  const old = new Set(before.split(/\s+/)), out = el("p", { class: "mono state" });
  for (const word of after.split(/\s+/))
    out.append(old.has(word) || !before ? word : el("mark", {}, word), " ");
  return out;
}

// The observed events of the threads that the witness is about, in their order.
function observed(f: Finding, trace: Trace | undefined, limit: number): string[] {
  if (!trace) return [];
  const paths = new Set([...f.witness, ...f.locations].map((s) => s.path)), out: string[] = [];
  for (let i = 0; i < trace.tables.events && out.length < limit; i++) {
    const t = trace.tables.threads[trace.thread[i] - 1];
    if (paths.has(t.path)) out.push(`${short(threadTitle(t.label, t.name), 24)}: ${trace.text(i)}`);
  }
  return out;
}

export function stepper(f: Finding, step: number, go: (step: number) => void): HTMLElement {
  const at = Math.max(1, Math.min(step, f.witness.length)), s = f.witness[at - 1];
  const names = new Map(f.witness.map((x) => [x.thread, threadTitle(x.thread, x.name)]));
  const button = (text: string, to: number, label: string) => {
    const b = el("button", { type: "button", "aria-label": label }, text);
    b.disabled = to < 1 || to > f.witness.length;
    b.addEventListener("click", () => go(to));
    return b;
  };
  const done = new Map<string, number>();
  for (const x of f.witness.slice(0, at)) done.set(x.thread, (done.get(x.thread) ?? 0) + 1);
  const count = (n: number) => `${n} step${n === 1 ? "" : "s"}`;
  const progress = lanesOf(f.witness).map((t) => el("li", {}, `${short(names.get(t)!, 30)}: ${count(done.get(t) ?? 0)}`));
  return el("section", { class: "stepper", "aria-label": "stepper" },
    el("p", { class: "controls" }, button("|<", 1, "first step"), button("<", at - 1, "previous step"),
      el("span", { role: "status" }, ` step ${at} of ${f.witness.length} `), button(">", at + 1, "next step"), button(">|", f.witness.length, "last step")),
    el("p", { class: "mono now" }, `${names.get(s.thread)}: ${s.event}`, s.location ? ` at ${s.location}` : "", s.note ? el("strong", {}, `  ${s.note}`) : null),
    s.state ? states(at > 1 ? f.witness[at - 2].state ?? "" : "", s.state) : null,
    el("ul", { class: "progress" }, ...progress));
}

// The observed run beside the witness: what both share so far is dimmed, where they part is marked.
export function observedRun(f: Finding, trace: Trace | undefined, step: number): HTMLElement | null {
  const run = observed(f, trace, 400);
  if (!run.length) return null;
  const at = Math.max(1, Math.min(step || f.witness.length, f.witness.length));
  const names = (s: Finding["witness"][0]) => `${short(threadTitle(s.thread, s.name), 24)}: `;
  const done = new Map<string, number>();
  for (const s of f.witness.slice(0, at)) done.set(names(s), (done.get(names(s)) ?? 0) + 1);
  const items = run.map((line) => {
    const who = line.slice(0, line.indexOf(": ") + 2), left = done.get(who) ?? 0;
    done.set(who, left - 1);
    return el("li", left > 0 ? { class: "done" } : {}, line);
  });
  return el("section", { class: "observed-run", "aria-label": "observed run" },
    el("h3", {}, "Observed run of these threads"), el("ol", { class: "mono" }, ...items));
}
