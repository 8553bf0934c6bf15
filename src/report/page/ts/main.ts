import { diffView } from "./diff";
import { button, el, icon, many, short, svg } from "./dom";
import { legend } from "./legend";
import { List, sentence } from "./list";
import { diff, findings, traces, type Finding, type Trace } from "./model";
import { SpaceTime } from "./space";
import { Story } from "./story";
import { View, type At } from "./view";

const doc = findings(), main = el("main", { id: "content", tabindex: "-1" }), over = el("div", { id: "over" });
let loaded: Trace[] = [], view: View | null = null, writing = false;

// ---- the address: #9f3a12c0 is a finding, #9f3a12c0/4 a step of it, /observed the other run ----

function route(): { finding: Finding | undefined; at: Partial<At> } {
  const [id, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/"), number = rest.find((r) => /^\d+$/.test(r));
  const finding = (id && doc.findings.find((f) => f.id.startsWith(id))) || doc.findings[0];
  const tab = rest.find((r) => ["runs", "steps", "whole"].includes(r));
  return { finding, at: { ...(number ? { step: Number(number) - 1 } : {}), which: rest.includes("observed") ? "observed" : "witness", ...(tab ? { tab } : {}) } };
}

function save(f: Finding, at: At) {
  const parts = [f.id.slice(0, 8), String(at.step + 1)];
  if (at.which === "observed" && f.witness.length) parts.push("observed");
  if (at.tab !== "picture") parts.push(at.tab);
  writing = true;
  history.replaceState(null, "", "#" + parts.join("/"));
  writing = false;
}

// ---- the frame ----

const titles = new Map<Finding, string>();
const list = new List(doc, (f) => show(f, {}), (f) => {
  if (!titles.has(f)) titles.set(f, new Story(f, 0, 4).names.plain(sentence(f)).replace(/\.$/, ""));
  return titles.get(f)!;
});
const search = el("input", { id: "q", type: "search", placeholder: "Search findings", "aria-label": "Search findings" });

function theme(name?: string) {
  const root = document.documentElement;
  let kept: string | null = null;
  try { if (name) localStorage.setItem("foresee-theme", name); kept = localStorage.getItem("foresee-theme"); } catch { /* not to be had from a file, sometimes */ }
  root.dataset.theme = name ?? kept ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function toast(text: string) {
  const t = el("div", { class: "toast", role: "status" }, short(text, 120));
  document.body.append(t);
  setTimeout(() => t.remove(), 2200);
}

function bar(): HTMLElement {
  const count = (level: string) => doc.findings.filter((f) => f.level === level && !f.suppressed).length, errors = count("error"), warnings = count("warning"), notes = count("note");
  const mark = svg("svg", { width: 18, height: 18, viewBox: "0 0 18 18", class: "logo", "aria-hidden": "true" }, svg("path", { d: "M3 9h5M8 9l6-5M8 9l6 5" }), svg("circle", { cx: 14.5, cy: 4, r: 1.4 }));
  const open = button({ class: "mob", "aria-expanded": "false", "aria-controls": "list" }, () => { const on = list.element.classList.toggle("open"); open.setAttribute("aria-expanded", String(on)); }, el("span", {}), icon("down"));
  search.addEventListener("input", () => { list.query = search.value; list.draw(view?.f); });
  return el("header", { class: "bar" }, el("span", { class: "mark" }, mark, "foresee"), open,
    el("span", { class: "count" }, el("b", {}, many(errors, "error")), warnings ? `, ${many(warnings, "warning")}` : "", notes ? `, ${many(notes, "note")}` : "",
      doc.completeness.exhausted ? "" : el("span", { class: "bound", title: doc.completeness.bound ?? "" }, ` · not exhaustive: ${short(doc.completeness.bound ?? "a limit was reached", 60)}`)),
    el("span", { class: "sp" }), el("label", { class: "find" }, search, el("kbd", {}, "/")),
    button({ class: "ib", title: "Legend and keys (?)", "aria-label": "Legend and keys" }, help, el("b", {}, "?")),
    button({ class: "ib", title: "Light or dark (d)", "aria-label": "Light or dark" }, flip, icon("moon")));
}

function flip() { theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); view?.update(); }

function help() {
  if (over.firstChild) { over.replaceChildren(); view?.element.querySelector<HTMLElement>(".nav .ib")?.focus(); return; }
  over.replaceChildren(legend(help));
  over.querySelector<HTMLElement>("button")?.focus();
}

// ---- one finding at a time ----

function traceOf(f: Finding | undefined): Trace | undefined { return loaded.find((t) => t.tables.name === f?.trace) ?? (loaded.length === 1 ? loaded[0] : undefined); }

function show(f: Finding | undefined, at: Partial<At>) {
  const parts: Node[] = [], runs = diff();
  if (runs) parts.push(diffView(runs, doc.traces.map((t) => t.name)));
  if (f) {
    view = new View(doc, f, traceOf(f), at, (now) => save(f, now), toast);
    parts.push(view.element);
  } else parts.push(nothing());
  if (runs || !f) for (const t of loaded) if (t.tables.events) { const space = new SpaceTime(t, f); expose(space); parts.push(el("h3", {}, `${t.tables.name}: ${many(t.tables.events, "event")}, ${many(t.tables.threads.length, "thread")}`), space.element); }
  document.body.classList.toggle("scrolls", !!runs || !f);
  main.replaceChildren(...parts);
  document.title = f ? `${f.rule} ${f.id.slice(0, 8)} — foresee` : "foresee";
  const index = f ? doc.findings.indexOf(f) + 1 : 0;
  document.querySelector(".mob span")!.textContent = doc.findings.length ? `${index} of ${doc.findings.length}` : "none";
  list.element.classList.remove("open");
  list.draw(f);
  view?.update();
  if (f && view) save(f, view.at);
}

function nothing(): HTMLElement {
  return el("div", { class: "empty" }, el("h1", {}, "No findings."), el("p", {}, doc.completeness.exhausted ? "Nothing that the analyses look for can happen in the runs that this recording stands for." : `Not everything was looked at: ${doc.completeness.bound ?? "a limit was reached"}.`));
}

function expose(space: SpaceTime) { (window as unknown as { foreseeView: SpaceTime }).foreseeView = space; }

function neighbour(by: number) {
  const shown = list.shown(), at = view ? shown.indexOf(view.f) : -1, next = shown[(at + by + shown.length) % shown.length];
  if (next) show(next, {});
}

function key(e: KeyboardEvent) {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || target.tagName === "CANVAS") return;
  if (target === search) { if (e.key === "Escape") search.blur(); return; }
  if (target.tagName === "INPUT" && (target as HTMLInputElement).type !== "range") return;
  if (e.key === "Escape") { if (over.firstChild) help(); else view?.closePop(); return; }
  if (over.firstChild && e.key !== "?") return;
  const step = view?.at.step ?? 0, keys: Record<string, () => void> = {
    ArrowRight: () => view?.go(step + 1), ArrowDown: () => view?.go(step + 1), ArrowLeft: () => view?.go(step - 1), ArrowUp: () => view?.go(step - 1),
    Home: () => view?.go(-1), End: () => view?.go(Infinity), j: () => neighbour(1), k: () => neighbour(-1), n: () => neighbour(1), p: () => neighbour(-1),
    o: () => view?.turn(view.at.which === "witness" ? "observed" : "witness"), t: () => view?.nextTab(), "/": () => search.focus(), "?": help, d: flip,
  };
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
  if (view?.space) expose(view.space);
}

async function start() {
  theme();
  document.body.append(over);
  document.getElementById("app")!.append(bar(), el("div", { class: "frame" }, list.element, main));
  const { finding, at } = route();
  show(finding, at);
  const asked = location.hash; // somebody may have gone on meanwhile
  loaded = await traces();
  if (loaded.length && location.hash === asked) show(finding, at);
  else if (loaded.length) { const now = route(); show(now.finding, now.at); }
  document.body.dataset.ready = "true";
}

addEventListener("hashchange", () => { if (!writing) { const r = route(); show(r.finding, r.at); } });
addEventListener("keydown", key);
addEventListener("click", (e) => { if (!(e.target as Element).closest(".pop, .badge")) view?.closePop(); if (view?.space) expose(view.space); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme());
start();
