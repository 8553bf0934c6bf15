// Two runs of one program: per thread, what they share and what each does next.
import { el, short, threadTitle } from "./dom";
import type { Diff } from "./model";

export function diffView(d: Diff, names: string[]): HTMLElement {
  const rows = d.threads.map((t) => {
    const parts = t.shared < t.first.events || t.shared < t.second.events;
    const side = (s: Diff["threads"][0]["first"]) => el("td", { class: "mono" },
      s.next ? short(s.next, 80) : s.events ? "nothing more" : "is not there", s.location ? el("small", {}, " " + s.location) : null);
    return el("tr", parts ? { class: "noted" } : { class: "irrelevant" },
      el("th", { scope: "row" }, short(threadTitle(t.thread, t.name), 40)), el("td", {}, String(t.shared)), side(t.first), side(t.second));
  });
  const head = ["thread", "shared", `then ${short(names[0] ?? "first", 60)}`, `then ${short(names[1] ?? "second", 60)}`];
  return el("section", { class: "diff", "aria-label": "difference" }, el("h2", {}, "Where the two runs part"),
    el("p", {}, `${d.shared} events are the same, from the start of each thread.`),
    el("table", {}, el("thead", {}, el("tr", {}, ...head.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows)));
}
