// The findings, by rule and file; a thousand of them are not a thousand elements at once.
import { button, el, many, short } from "./dom";
import type { Document_, Finding } from "./model";
import { brief, splitLocation } from "./side";
import { objection } from "./history";

const TITLES: Record<string, [string, string]> = {
  "lock-cycle": ["Deadlock", "Deadlocks"], "blocked-forever": ["Blocked for ever", "Blocked for ever"], "data-race": ["Data race", "Data races"],
  "property-violation": ["Property violated", "Properties"], "not-linearizable": ["Not linearizable", "Linearizability"], "send-on-closed": ["Send on a closed channel", "Sends on closed channels"],
  "close-of-closed": ["Channel closed twice", "Channels closed twice"], "receive-on-closed": ["Receive from a closed channel", "Receives from closed channels"],
  "alternative-communication": ["Another receiver", "Other receivers"], "wait-before-add": ["Wait before add", "Waits before adds"], panic: ["Panic", "Panics"], livelock: ["Livelock", "Livelocks"],
};
const words = (rule: string) => rule.charAt(0).toUpperCase() + rule.slice(1).replace(/-/g, " ");

export function ruleTitle(rule: string): string { return TITLES[rule]?.[0] ?? words(rule); }
export const VERDICTS: Record<string, [string, string]> = {
  observed: ["Observed", "It happened in this run."], confirmed: ["Confirmed", "It happened when foresee ran the program on the witness."],
  predicted: ["Predicted", "Another order of the recorded steps does it; the witness was checked step by step."], possible: ["Possible", "The recorded steps allow it, but something that was not recorded might forbid it."],
};

// The lock of an event in the notation: lock(a), pre(rlock("alice.lock")).
function lockOf(event: string): string | undefined {
  const name = /r?lock\(("(?:[^"\\]|\\.)*"|[^)]*)\)/.exec(event)?.[1];
  return name?.startsWith('"') ? name.slice(1, -1).replace(/\\(.)/g, "$1") : name;
}

// What goes wrong, in the program's names; with the marks of threads and locks it is the page's sentence.
export function sentence(f: Finding): string {
  const failing = f.timeline?.intervals.find((i) => i.style === "failing");
  if (failing) return `${failing.lane} gets ${failing.label}, which fits no order of the operations.`;
  if (f.rule === "lock-cycle") {
    const threads = [...new Set(f.locations.map((p) => p.path))].map((path) => {
      const of = (role: string) => f.locations.filter((p) => p.path === path && p.role === role).map((p) => lockOf(p.event));
      const t = f.locations.find((p) => p.path === path)!, holds = of("holds"), waits = of("waits");
      return holds[0] && waits[0] ? `thread ${t.thread} holds ${holds.join(", ")} and waits for ${waits[0]}` : "";
    });
    if (threads.length > 1 && threads.every((t) => t)) return threads.join("; ") + ".";
  }
  const step = f.witness.find((s) => s.note === "violates"), name = /^property (\S+)/.exec(f.message)?.[1];
  if (f.rule === "property-violation" && step?.does && name) return `thread ${step.thread} ${step.does}, and ${name} breaks.`;
  return f.message + (/[.!?]$/.test(f.message) ? "" : ".");
}

// One grey line more: why it can be so.
export function subline(f: Finding): string {
  const text = reason(f), plain = text === f.explanation; // a fact may begin with a name
  return (plain && /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0)) + text.slice(1) + (/[.!?]$/.test(text) || !text ? "" : ".");
}

function reason(f: Finding): string {
  const failing = f.timeline?.intervals.some((i) => i.style === "failing"), fact = (l: string) => f.facts.find((x) => x.label === l)?.text;
  if (failing) return objection(f) ? `After the longest order that works it ${objection(f).replace(/ here$/, "")}. ${f.message.includes("real time") ? "No order that keeps real time explains all answers." : f.message}` : f.explanation || f.message;
  if (f.rule === "property-violation") return [fact("failed"), fact("runs")].filter((x) => x).join("; ") || f.explanation;
  return f.explanation || fact("why") || fact("observed") || "";
}

export class List {
  readonly element = el("nav", { class: "list", id: "list", "aria-label": "findings" });
  query = "";
  private most = 200;

  constructor(private doc: Document_, private choose: (f: Finding) => void, private name: (f: Finding) => string) {}

  shown(): Finding[] {
    const q = this.query.toLowerCase();
    return this.doc.findings.filter((f) => !q || `${f.rule} ${ruleTitle(f.rule)} ${f.message} ${f.verdict} ${f.id} ${f.locations.map((p) => p.location).join(" ")}`.toLowerCase().includes(q));
  }

  draw(current: Finding | undefined) {
    const all = this.shown(), groups = new Map<string, Finding[]>();
    const files = new Set(all.map((f) => splitLocation(f.locations[0]?.location ?? "").file)), byFile = all.length > 30 && files.size > 1;
    for (const f of all) {
      const file = byFile ? splitLocation(f.locations[0]?.location ?? "").file : "", key = (TITLES[f.rule]?.[1] ?? words(f.rule)) + (file ? ` · ${file.slice(file.lastIndexOf("/") + 1)}` : "");
      groups.set(key, [...(groups.get(key) ?? []), f]);
    }
    const out: Node[] = [];
    let drawn = 0;
    for (const [title, list] of groups) {
      if (drawn >= this.most) break;
      out.push(el("h2", {}, el("span", {}, title), el("span", {}, String(list.length))));
      for (const f of list.slice(0, this.most - drawn)) { out.push(this.item(f, f === current)); drawn++; }
    }
    if (drawn < all.length) out.push(button({ class: "btn more" }, () => { this.most += 500; this.draw(current); }, `${many(all.length - drawn, "finding")} more`));
    if (!all.length) out.push(el("p", { class: "none" }, this.query ? "No finding has these words." : "No findings."));
    this.element.replaceChildren(...out);
    this.element.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }

  private item(f: Finding, current: boolean): HTMLElement {
    const where = f.locations.find((p) => p.location)?.location ?? f.trace ?? "";
    return button({ class: `it ${f.level}${f.suppressed ? " suppressed" : ""}`, "data-id": f.id.slice(0, 8), "aria-current": String(current), title: short(f.message, 400) }, () => this.choose(f),
      el("b", {}, short(this.name(f), 130)), el("span", {}, el("code", {}, short(brief(where), 26)), el("i", {}, f.suppressed ? "Known" : VERDICTS[f.verdict]?.[0] ?? f.verdict)));
  }
}
