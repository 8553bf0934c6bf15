// One finding: the sentence, the picture, the source, the steps, the run that it came from.
import { button, el, icon, many, short, type Child } from "./dom";
import { layered } from "./graphs";
import { historyPicture, historySteps, orderBox } from "./history";
import { lanesPicture } from "./lanes";
import { ruleTitle, sentence, subline, VERDICTS } from "./list";
import { messagesPicture } from "./messages";
import type { Document_, Finding, Step, Trace } from "./model";
import { Overview } from "./overview";
import { formulaBox, propertyPicture, states } from "./property";
import { factsBox, missingBox, placeLinks, ringBox, sourcePane, sourcePanes, splitLocation } from "./side";
import { SpaceTime } from "./space";
import { saying, Story, type Which } from "./story";

export type Kind = "lanes" | "property" | "messages" | "history";
export interface At { step: number; which: Which; tab: string }

export function kindOf(f: Finding): Kind {
  if (f.graph?.lanes) return "messages";
  if (f.timeline?.intervals.length) return "history";
  return f.rule === "property-violation" && f.witness.some((s) => s.state) ? "property" : "lanes";
}

const TAB: Record<Kind, string> = { lanes: "Lanes", property: "Lanes", messages: "Messages", history: "History" };
const MOST_STEPS = 1000;

export class View {
  readonly element = el("div", { class: "finding" });
  readonly story: Story; readonly kind: Kind;
  private canvas = el("div", { class: "cv", id: "picture" });
  private side = el("aside", { class: "side", "aria-label": "Source and reason" });
  private tabs = el("div", { class: "tabs", role: "tablist" });
  private switch_ = el("div", { class: "seg", role: "group", "aria-label": "Which run" });
  private say = el("span", { class: "say", "aria-live": "polite", role: "status" });
  private count = el("span", { class: "n" });
  private rail = el("div", { class: "tr" });
  private slider = el("input", { type: "range", min: 0, "aria-label": "Step" });
  private pop: HTMLElement | null = null;
  private peeked: number | null = null; // the operation of a history that is hovered
  private overview: Overview | null = null;
  space: SpaceTime | null = null;
  at: At;

  constructor(private doc: Document_, readonly f: Finding, private trace: Trace | undefined, at: Partial<At>, private moved: (at: At) => void, private tell: (text: string) => void) {
    const threads = doc.traces.find((t) => t.name === f.trace)?.threads ?? 0;
    this.kind = kindOf(f);
    this.story = new Story(f, threads, window.innerWidth < 600 ? 3 : 6);
    const which: Which = at.which === "observed" && this.story.has("observed") || !this.story.has("witness") ? "observed" : "witness";
    this.at = { which, step: 0, tab: at.tab && this.tabNames().some(([k]) => k === at.tab) ? at.tab : "picture" };
    this.at.step = Math.max(-1, Math.min(at.step ?? this.worst(), this.steps() - 1));
    this.build();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  steps(): number {
    if (this.kind === "messages") return this.f.witness.length;
    if (this.kind === "history") return historySteps(this.f).length;
    return this.story.run(this.at.which).rows.length;
  }

  // Where it goes wrong, for whoever comes without a step.
  private worst(): number {
    for (let k = this.steps() - 1; k >= 0; k--) if (this.bad(k)) return k;
    return Infinity;
  }

  go = (step: number) => {
    this.at.step = Math.max(-1, Math.min(step, this.steps() - 1));
    this.update();
    this.moved(this.at);
  };

  private hasBoth(): boolean { return (this.kind === "lanes" || this.kind === "property") && this.story.has("witness") && this.story.has("observed"); }

  // The same event in the other run.
  turn = (which: Which) => {
    if (!this.hasBoth() || which === this.at.which) return;
    const step = this.story.run(this.at.which).rows[this.at.step]?.step;
    this.at.which = which;
    const row = step ? this.story.rowOf(which, step) : -1;
    this.at.step = row >= 0 ? row : this.at.step < 0 ? -1 : this.steps() - 1;
    this.update();
    this.moved(this.at);
  };

  open(tab: string) {
    this.at.tab = tab;
    this.update();
    this.moved(this.at);
  }
  nextTab() { const names = this.tabNames(), i = names.findIndex(([k]) => k === this.at.tab); this.open(names[(i + 1) % names.length][0]); }

  tabNames(): [string, string][] {
    const graphOnly = this.graphOnly(), out: [string, string][] = [["picture", graphOnly ? "Graph" : TAB[this.kind]]];
    if (this.f.graph && !this.f.graph.lanes && !graphOnly) out.push(["runs", this.kind === "property" ? "All runs" : "Graph"]);
    if (this.f.witness.length || this.f.observed?.length) out.push(["steps", "Steps"]);
    if (this.trace?.tables.events) out.push(["whole", "Whole run"]);
    return out;
  }

  // Cycles of transactions have no steps: their graph is the picture.
  private graphOnly(): boolean { return this.kind === "lanes" && !!this.f.graph && !this.story.has("witness") && !this.story.has("observed"); }

  private bad(k: number): boolean {
    if (this.kind === "messages" || this.kind === "history") return k === this.steps() - 1;
    return !!this.story.run(this.at.which).rows[k]?.bad;
  }

  saying(k: number): string {
    if (k < 0) return "Before the first step";
    const s = this.f.witness[k];
    if (this.kind === "messages") return `${/^\d+$/.test(s.thread) ? "actor " : ""}${s.thread} receives ${s.event}${s.note ? `; ${s.note}` : ""}`;
    if (this.kind === "history") { const i = this.f.timeline!.intervals[historySteps(this.f)[k]]; return `${i.lane}: ${i.label}${i.style === "failing" ? ", which fits nowhere" : ""}`; }
    return saying(this.story, this.at.which, k);
  }

  // ---- what is built once ----

  private build() {
    const f = this.f, verdict = VERDICTS[f.verdict] ?? [f.verdict, ""], id = f.id.slice(0, 8), command = `foresee ${f.witness.length ? "replay" : "show"} ${id}`;
    const badge = button({ class: `badge ${f.verdict === "predicted" || f.verdict === "possible" ? "" : "hot"}`, "aria-expanded": "false", "aria-haspopup": "true" }, () => this.toggle(() => this.why(), badge), verdict[0], icon("down"));
    const kind = el("div", { class: "kind" }, el("b", { class: f.level }, ruleTitle(f.rule)), badge, f.trace ? el("span", { class: "in" }, "in ", el("code", {}, short(f.trace, 40))) : null, f.suppressed ? el("span", {}, "known (baseline)") : null);
    const acts = el("div", { class: "acts" }, button({ class: "btn replay", title: command }, () => this.copy(command), icon("copy"), el("span", {}, "Copy replay command")),
      button({ class: "btn", title: "Copy a link to this step", "aria-label": "Link" }, () => this.copy(location.href), icon("link"), el("span", {}, "Link")));
    const head = el("div", { class: "head" }, kind, acts, el("h1", {}, ...this.story.names.rich(short(sentence(f), 600))),
      el("p", { class: "sub" }, el("span", {}, ...this.story.names.rich(short(subline(f), 400))), placeLinks(f, (w) => this.jump(w))));
    const pic = el("section", { class: "card pic" }, el("header", {}, this.tabs, el("span", { class: "sp" }), this.switch_), this.canvas);
    const nav = el("div", { class: "nav" }, ...([["first", () => -1], ["prev", () => this.at.step - 1], ["next", () => this.at.step + 1], ["last", () => Infinity]] as [string, () => number][]).map(([name, to]) =>
      button({ class: "ib", "data-nav": name, "aria-label": `${name === "prev" ? "previous" : name} step` }, () => this.go(to()), icon(name))));
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value) - 1));
    const steps = el("div", { class: "card step" }, nav, this.count, this.rail, this.say);
    this.element.append(head, el("div", { class: "stage" }, pic, this.side));
    if (this.steps() > 0) this.element.append(steps);
    this.element.append(...this.below(), el("div", { class: "print-only" }, this.table()));
    this.update();
  }

  private below(): HTMLElement[] {
    if (this.kind === "messages") return this.exploration();
    if (this.kind === "history" || !this.trace?.tables.events) return [];
    const t = this.trace.tables;
    this.overview = new Overview(this.trace, this.story, this.at.which, this.at.step, this.go, `${many(t.events, "event")}, ${many(t.threads.length, "thread")}`);
    return [this.overview.element];
  }

  private exploration(): HTMLElement[] {
    const row = (this.doc.stats.explore as { table?: { S?: number; transitions?: number }[] } | undefined)?.table?.[0];
    const fact = this.f.facts.find((x) => x.label === "schedules" || x.label === "steps"), found = Number(/^(\d+) of/.exec(fact?.text ?? "")?.[1] ?? 0);
    const all = fact?.label === "schedules" ? row?.S ?? 0 : row?.transitions ?? 0, words = fact?.label === "schedules" ? many(all, "schedule") + " show it" : many(all, "step") + " lead to it";
    if (!all || !found) return [];
    const bar = el("div", { class: "share", role: "img", "aria-label": `${found} of ${words}` }, el("i", {}));
    (bar.firstChild as HTMLElement).style.width = `${Math.max(0.5, Math.min(100, (100 * found) / all))}%`;
    return [el("div", { class: "card ov" }, el("p", {}, el("b", {}, "The exploration"), `${found.toLocaleString("en")} of ${words}`), bar)];
  }

  // ---- popovers ----

  private toggle(make: () => HTMLElement, owner: HTMLElement) {
    const open = this.pop;
    this.closePop();
    if (open?.dataset.owner === owner.className) return;
    this.pop = make();
    this.pop.dataset.owner = owner.className;
    owner.setAttribute("aria-expanded", "true");
    owner.after(this.pop);
  }
  closePop(): boolean {
    if (!this.pop) return false;
    this.pop.previousElementSibling?.setAttribute("aria-expanded", "false");
    this.pop.remove();
    this.pop = null;
    return true;
  }

  private why(): HTMLElement {
    const f = this.f, v = VERDICTS[f.verdict], drawn = [f.graph?.title, f.timeline?.title];
    const facts = f.facts.filter((x) => !drawn.includes(x.label) && !x.text.includes("\n"));
    return el("div", { class: "pop" }, el("h3", {}, `Why ${f.verdict}?`), el("p", {}, v?.[1] ?? ""), f.explanation ? el("p", {}, ...this.story.names.rich(f.explanation)) : null,
      el("dl", { class: "facts" }, ...facts.flatMap((x) => [el("dt", {}, x.label), el("dd", {}, ...this.story.names.rich(short(x.text, 600)))])),
      f.count > 1 ? el("p", {}, `${f.count - 1} more at these places.`) : null, f.completeness.exhausted ? null : el("p", {}, `Not everything was looked at: ${f.completeness.bound ?? "a limit was reached"}.`), el("p", { class: "mono" }, `foresee show ${f.id.slice(0, 8)}`));
  }

  private foldPop = () => {
    const s = this.story, rest = (this.f.threads ?? []).filter((t) => !s.involved.includes(t.path));
    const open = this.canvas.querySelector(".pop.fold");
    if (open) { open.remove(); return; }
    this.canvas.append(el("div", { class: "pop fold" }, el("h3", {}, `${many(s.more, "thread")}, folded`), el("ul", {}, ...rest.slice(0, 300).map((t) => el("li", { title: s.names.title(t.path) }, short(s.names.of(t.path), 30)))),
      rest.length < s.more ? el("p", {}, `${rest.length ? "and " : ""}${s.more - rest.length} that take no part`) : null));
  };

  // ---- what follows the step ----

  private jump(location: string) {
    const rows = this.kind === "lanes" || this.kind === "property" ? this.story.run(this.at.which).rows : [];
    const k = rows.map((r) => r.step?.location).lastIndexOf(location);
    if (k >= 0) this.go(k);
    else if (this.kind === "history") this.go(historySteps(this.f).findIndex((i) => this.f.timeline!.intervals[i].location === location));
  }

  update() {
    const n = this.steps(), k = this.at.step, bad = this.bad(k), words = this.saying(k);
    this.tabs.replaceChildren(...this.tabNames().map(([key, name]) => button({ role: "tab", "data-tab": key, "aria-selected": String(key === this.at.tab) }, () => this.open(key), name)));
    this.switch_.hidden = !this.hasBoth() || this.at.tab === "runs" || this.at.tab === "whole";
    this.switch_.replaceChildren(...(["observed", "witness"] as Which[]).map((w) => button({ "data-which": w, "aria-pressed": String(w === this.at.which) }, () => this.turn(w), w === "observed" ? "Observed" : "Witness")));
    this.count.replaceChildren("Step ", el("b", {}, String(k + 1)), ` of ${n}`);
    this.say.textContent = words;
    this.say.title = words;
    this.say.className = bad ? "say bad" : "say";
    this.slider.max = String(n);
    this.slider.value = String(k + 1);
    this.slider.setAttribute("aria-valuetext", words);
    this.dots(n, k);
    this.fillSide();
    this.draw();
    this.overview?.move(this.at.which, k);
  }

  private dots(n: number, k: number) {
    const rail = el("span", { class: "rail" }), fill = el("span", { class: "fill" }), left = (i: number) => `calc((100% - 16px) * ${n ? i / n : 0})`;
    fill.style.width = left(k + 1);
    const dots = n <= 60 ? Array.from({ length: n + 1 }, (_, i) => i) : [];
    const marks = dots.map((i) => { const d = el("span", { class: `dot ${i <= k + 1 ? "past" : ""} ${i && this.bad(i - 1) ? "hot" : ""}` }); d.style.left = left(i); return d; });
    this.rail.className = `tr${this.bad(k) ? " hot" : ""}`;
    if (this.slider.parentElement !== this.rail) this.rail.append(this.slider);
    for (const old of [...this.rail.children]) if (old !== this.slider) old.remove();
    this.rail.prepend(rail, fill, ...marks);
  }

  private fillSide() {
    for (const around of [2, 1]) {
      this.side.replaceChildren(...this.boxes(around).filter((x): x is HTMLElement => !!x));
      if (window.innerWidth <= 820 || this.side.scrollHeight <= this.side.clientHeight + 2) return;
    }
  }

  private boxes(around: number): (HTMLElement | null)[] {
    const { f, story, at } = this;
    if (this.kind === "history") {
      const i = f.timeline!.intervals[historySteps(f)[Math.max(0, at.step)]];
      return [orderBox(f, at.step, this.go, this.peeked), i?.location ? sourcePane(this.doc, { head: el("b", {}, i.lane), crumb: "as recorded", location: i.location, note: "", state: at.step >= 0 ? "now" : "off", bad: i.style === "failing" }, around + 2) : null, factsBox(story, "Why", /^(forced|before|also|or)$/)];
    }
    if (this.kind === "messages") return [f.timeline ? this.clients() : null, ...this.harness(around), factsBox(story, "Why")];
    const panes = sourcePanes(this.doc, story, at.which, at.step, around);
    if (this.kind === "property") {
      const steps = story.run(at.which).rows.map((r) => r.step).filter((s): s is Step => !!s);
      return [...panes, formulaBox(f, states(f, steps), at.step)];
    }
    const reason = f.rule === "data-race" ? missingBox(story) : ringBox(story, at.which, at.step) ?? factsBox(story, "Why");
    return [...panes, reason];
  }

  private peek = (op: number | null) => {
    if (op === this.peeked) return;
    this.peeked = op;
    this.side.querySelector(".box")?.replaceWith(orderBox(this.f, this.at.step, this.go, op));
  };

  private harness(around: number): HTMLElement[] {
    const seen = new Set<string>();
    return this.f.locations.filter((p) => p.role === "blamed" || p.role === "unanswered").flatMap((p) => {
      const { file, line } = splitLocation(p.location), there = this.doc.sources?.some((x) => x.file === file && line >= x.from);
      if (!there || seen.has(p.location)) return [];
      seen.add(p.location);
      return [sourcePane(this.doc, { head: el("b", {}, p.thread), crumb: "what is asked", location: p.location, note: "", state: "past", bad: p.role === "blamed" }, around)];
    });
  }

  private clients(): HTMLElement {
    const width = Math.max(280, this.side.clientWidth - 8), picture = historyPicture({ ...this.f, timeline: { ...this.f.timeline!, order: [] } }, this.at.step < this.steps() - 1 ? -1 : 99, width, 200, () => {});
    return el("section", { class: "card box clients" }, el("header", {}, el("b", {}, "What the clients saw")), el("div", { class: "scroll" }, picture));
  }

  private table(): HTMLElement {
    const all = this.at.which === "witness" ? this.f.witness : this.f.observed ?? [], run = this.story.run(this.at.which), states_ = all.some((s) => s.state);
    const head = el("tr", {}, ...["Step", "Who", "What happens", "Where", "Event", ...(states_ ? ["After it"] : [])].map((h) => el("th", { scope: "col" }, h)));
    const body = all.slice(0, MOST_STEPS).map((s, i) => {
      const row = run.rows.findIndex((r) => r.step === s), mine = this.kind === "messages" ? i : row, bad = mine >= 0 && this.bad(mine);
      const tr = el("tr", { class: s.irrelevant ? "irrelevant" : "", ...(mine >= 0 ? { "data-step": mine + 1, "aria-current": String(mine === this.at.step) } : {}) }, el("td", {}, String(i + 1)), el("td", {}, this.story.names.thread(s.path, 24)),
        el("td", { class: bad ? "b" : "" }, ...this.story.names.rich(s.does ?? s.event), s.note ? el("em", {}, ` ${s.note}`) : null as Child), el("td", { class: "mono" }, s.location), el("td", { class: "mono dim" }, short(s.event, 80)), states_ ? el("td", { class: "mono" }, s.state ?? "") : null);
      if (mine >= 0) tr.addEventListener("click", () => this.go(mine));
      return tr;
    });
    return el("table", { class: "all" }, el("thead", {}, head), el("tbody", {}, ...body), all.length > MOST_STEPS ? el("caption", {}, `the first ${MOST_STEPS} of ${all.length} steps`) : null);
  }

  private draw() {
    const width = this.canvas.clientWidth, height = Math.max(this.canvas.clientHeight, window.innerWidth <= 820 ? 420 : 0), { f, at } = this;
    if (!width) return;
    if (at.tab === "whole" && this.trace) {
      this.space ??= new SpaceTime(this.trace, f);
      if (this.space.element.parentElement !== this.canvas) this.canvas.replaceChildren(this.space.element);
      return;
    }
    const top = this.canvas.scrollTop;
    this.canvas.replaceChildren(at.tab === "steps" ? this.table() : at.tab === "runs" ? layered(f.graph!, width) : this.picture(width, height));
    this.canvas.scrollTop = top;
    const current = this.canvas.querySelector(at.tab === "steps" ? "tr[aria-current=true]" : `[data-row="${at.step + 1}"]`);
    if (current && this.canvas.scrollHeight > this.canvas.clientHeight + 4) {
      const box = current.getBoundingClientRect(), frame = this.canvas.getBoundingClientRect();
      if (box.bottom > frame.bottom - 20) this.canvas.scrollTop += box.bottom - frame.bottom + 60;
      else if (box.top < frame.top + 60) this.canvas.scrollTop -= frame.top + 100 - box.top;
    }
  }

  private picture(width: number, height: number): Element {
    const { f, story, at } = this;
    if (this.kind === "messages") return messagesPicture(f, at.step, width, height, this.go);
    if (this.kind === "history") return historyPicture(f, at.step, width, height, this.go, this.peek);
    if (this.graphOnly()) return layered(f.graph!, width);
    if (!this.steps()) return el("p", { class: "none" }, "This finding has no steps; what is known stands beside.");
    if (this.kind === "property") return propertyPicture(story, at.which, at.step, width, height, this.go);
    return lanesPicture(story, at.which, at.step, width, height, this.go, this.foldPop);
  }

  private copy(text: string) {
    const done = () => this.tell(`Copied: ${text}`), failed = () => this.tell(text);
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, failed); else failed();
  }
}
