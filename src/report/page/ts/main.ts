import { el } from "./dom";
import { diffView } from "./diff";
import { detail, lanesOf, list, witnessTable } from "./findings";
import { lanes, layered, sequence, timeline } from "./graphs";
import { diff, findings, traces, type Finding, type Trace } from "./model";
import { SpaceTime } from "./space";
import { observedRun, stepper } from "./stepper";

const doc = findings();
let loaded: Trace[] = [];
let shown = "";

// #9f3a12c0 is a finding, #9f3a12c0/4 a step of its witness.
function route(): { finding: Finding | undefined; step: number } {
  const [id, step] = location.hash.slice(1).split("/");
  const finding = (id && doc.findings.find((f) => f.id.startsWith(id))) || doc.findings[0];
  return { finding, step: Number(step) || 0 };
}

function go(step: number) {
  const { finding } = route();
  if (finding) location.hash = `${finding.id.slice(0, 8)}/${step}`;
}

function pictures(f: Finding): HTMLElement[] {
  const box = (title: string, picture: SVGElement) => el("section", { class: "picture", "aria-label": title }, el("h3", {}, title), picture);
  const out: HTMLElement[] = [];
  if (f.graph) out.push(box(f.graph.title || "graph", f.graph.lanes ? lanes(f.graph, f.graph.lanes) : layered(f.graph, f.witness)));
  if (f.timeline) out.push(box(f.timeline.title || "operations", timeline(f.timeline)));
  if (!f.graph?.lanes && lanesOf(f.witness).length > 1 && f.witness.length <= 400) out.push(box("message sequence", sequence(f)));
  return out;
}

// The stepper above, the two runs side by side below it.
function steps(f: Finding, trace: Trace | undefined, step: number): HTMLElement[] {
  const runs = el("div", { class: "runs" }, witnessTable(f, step, go));
  const other = observedRun(f, trace, step);
  if (other) runs.append(other);
  return [stepper(f, step || f.witness.length, go), runs];
}

function page(f: Finding | undefined, step: number): HTMLElement {
  const main = el("main", { id: "content", tabindex: "-1" });
  const trace = loaded.find((t) => t.tables.name === f?.trace) ?? loaded[0];
  const runs = diff();
  if (runs) main.append(diffView(runs, doc.traces.map((t) => t.name)));
  if (f) main.append(detail(f));
  if (f && f.witness.length) main.append(
    el("section", { id: "steps" }, ...steps(f, trace, step)));
  if (f) main.append(el("div", { class: "pictures" }, ...pictures(f)));
  for (const t of runs ? loaded : [trace]) {
    if (!t || !t.tables.events) continue;
    const view = new SpaceTime(t, f);
    (window as unknown as { foreseeView: SpaceTime }).foreseeView = view;
    main.append(el("h3", {}, `${t.tables.name}: ${t.tables.events} events, ${t.tables.threads.length} threads`), view.element);
  }
  return main;
}

function render() {
  const { finding, step } = route(), key = finding?.id ?? "";
  if (key === shown && finding && document.getElementById("steps")) {
    const trace = loaded.find((t) => t.tables.name === finding.trace) ?? loaded[0];
    document.getElementById("steps")!.replaceChildren(...steps(finding, trace, step));
    document.querySelector("tr.current")?.scrollIntoView({ block: "nearest" });
    return;
  }
  shown = key;
  document.getElementById("app")!.replaceChildren(list(doc, key), page(finding, step));
  document.title = finding ? `${finding.rule} ${finding.id.slice(0, 8)} — foresee` : "foresee";
}

// n and p: next and previous finding; j and k: next and previous step.
function key(e: KeyboardEvent) {
  if (e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).tagName === "CANVAS") return;
  const { finding, step } = route();
  if (!finding) return;
  const at = doc.findings.indexOf(finding);
  if (e.key === "n" && at + 1 < doc.findings.length) location.hash = doc.findings[at + 1].id.slice(0, 8);
  else if (e.key === "p" && at > 0) location.hash = doc.findings[at - 1].id.slice(0, 8);
  else if (e.key === "j") go(Math.min(step + 1, finding.witness.length));
  else if (e.key === "k") go(Math.max(step - 1, 1));
}

async function start() {
  render();
  loaded = await traces();
  shown = "";
  render();
  document.body.dataset.ready = "true";
}

addEventListener("hashchange", render);
addEventListener("keydown", key);
start();
