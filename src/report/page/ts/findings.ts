// The list of findings and one finding whole.
import { el, many, short, threadTitle } from "./dom";
import type { Document_, Finding, Step } from "./model";

export function list(doc: Document_, selected: string): HTMLElement {
  const items = doc.findings.map((f) =>
    el("li", { class: `item ${f.level}${f.suppressed ? " suppressed" : ""}` },
      el("a", { href: `#${f.id.slice(0, 8)}`, ...(f.id === selected ? { "aria-current": "true" } : {}) },
        el("span", { class: "rule" }, f.rule),
        el("span", { class: `verdict ${f.verdict}` }, f.verdict),
        el("span", { class: "message" }, short(f.message, 120)))));
  const count = (level: string) => doc.findings.filter((f) => f.level === level && !f.suppressed).length;
  return el("nav", { "aria-label": "findings" },
    el("h1", {}, "foresee"),
    el("p", { class: "summary" }, ["error", "warning", "note"].map((l) => many(count(l), l)).join(", "),
      doc.completeness.exhausted ? null : ` — not exhaustive: ${doc.completeness.bound ?? "a bound was hit"}`),
    items.length ? el("ol", { class: "findings" }, ...items) : el("p", {}, "No findings."));
}

function places(f: Finding): HTMLElement {
  const rows = f.locations.map((p) => el("tr", {},
    el("th", { scope: "row" }, p.role),
    el("td", { class: "mono" }, p.location || "no location"),
    el("td", { class: "mono source" }, short(p.source || p.event, 200)),
    el("td", {}, `thread ${short(threadTitle(p.thread, p.name), 80)}`,
      p.committed === false ? el("em", {}, ", never completed") : null)));
  return el("table", { class: "places" }, el("caption", {}, "Where"), el("tbody", {}, ...rows));
}

export function lanesOf(steps: Step[]): string[] {
  return [...new Set(steps.map((s) => s.thread))];
}

// A monitor in C has no propositions.
function stateTitle(steps: Step[]): string {
  const state = steps.find((s) => s.state)?.state ?? "";
  return ["", "", "values | monitor", "values | what holds | monitor"][state.split(" | ").length] ?? "";
}

// The witness as a table, one column per thread; the current step is marked.
export function witnessTable(f: Finding, current: number, choose: (step: number) => void): HTMLElement {
  const lanes = lanesOf(f.witness), wide = lanes.length > 8;
  const some = f.witness.some((s) => !s.irrelevant); // else nothing stands out by being faded
  const names = new Map(f.witness.map((s) => [s.thread, threadTitle(s.thread, s.name)]));
  const head = el("tr", {}, el("th", { scope: "col" }, "step"),
    ...(wide ? [el("th", { scope: "col" }, "thread"), el("th", { scope: "col" }, "event")]
      : lanes.map((t) => el("th", { scope: "col" }, short(names.get(t)!, 30)))),
    el("th", { scope: "col" }, stateTitle(f.witness)));
  const body = f.witness.map((s, i) => {
    const cell = (mine: boolean) => el("td", { class: "mono" }, mine ? short(s.event, 60) : "·",
      mine && s.location ? el("small", {}, " " + s.location) : null);
    const row = el("tr", { "data-step": String(i + 1), class: [s.note ? "noted" : "", s.irrelevant && some ? "irrelevant" : "", i + 1 === current ? "current" : ""].join(" ").trim() },
      el("th", { scope: "row" }, String(i + 1)),
      ...(wide ? [el("td", {}, short(names.get(s.thread)!, 40)), cell(true)] : lanes.map((t) => cell(t === s.thread))),
      el("td", { class: "note" }, s.state ? el("span", { class: "mono" }, s.state + " ") : null, s.note ?? ""));
    row.addEventListener("click", () => choose(i + 1));
    return row;
  });
  return el("table", { class: "witness" }, el("caption", {}, "Witness run"), el("thead", {}, head), el("tbody", {}, ...body));
}

export function detail(f: Finding): HTMLElement {
  const drawn = [f.graph?.title, f.timeline?.title]; // as pictures, below
  const facts = f.facts.filter((x) => !drawn.includes(x.label)).flatMap((x) => [el("dt", {}, x.label), el("dd", x.text.includes("\n") ? { class: "drawn" } : {}, x.text.replace(/^\n/, ""))]);
  if (f.explanation) facts.push(el("dt", {}, "why"), el("dd", {}, f.explanation));
  if (f.count > 1) facts.push(el("dt", {}, "also"), el("dd", {}, `${f.count - 1} more at these places`));
  if (!f.completeness.exhausted) facts.push(el("dt", {}, "incomplete"), el("dd", {}, f.completeness.bound ?? "a bound was hit"));
  return el("section", { class: "detail", "aria-label": "finding" },
    el("h2", {}, el("span", { class: `rule ${f.level}` }, f.rule), " ",
      el("span", { class: `verdict ${f.verdict}` }, f.verdict), " ", el("code", {}, f.id.slice(0, 8))),
    el("p", { class: "message" }, f.message), places(f), el("dl", {}, ...facts),
    el("p", { class: "replay mono" }, `foresee ${f.witness.length ? "replay" : "show"} ${f.id.slice(0, 8)}`));
}
