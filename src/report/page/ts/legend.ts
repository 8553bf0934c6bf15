import { button, el, icon, svg } from "./dom";
import { defs } from "./lanes";
import { glyphIcon } from "./names";
import { VERDICTS } from "./list";

function row(mark: Node, text: string): HTMLElement { return el("div", {}, el("span", {}, mark), el("span", {}, text)); }
function pic(width: number, height: number, ...parts: SVGElement[]): SVGElement { return svg("svg", { width, height, class: "lanes", "aria-hidden": "true" }, defs(), ...parts); }
function keys(...names: string[]): HTMLElement { return el("span", {}, ...names.flatMap((k) => [el("kbd", {}, k), " "])); }

export function legend(close: () => void): HTMLElement {
  const marks = el("div", { class: "lg" },
    row(el("span", {}, glyphIcon(0), " ", glyphIcon(1), " ", glyphIcon(2)), "a thread; the same shape everywhere"),
    row(pic(24, 28, svg("rect", { x: 7, y: 0, width: 10, height: 28, rx: 3, class: "lockfill c0" })), "a lock while it is held; one colour for each lock"),
    row(pic(24, 28, svg("rect", { x: 7, y: 0, width: 10, height: 28, rx: 3, class: "wait c1", fill: "url(#hatch1)" })), "waiting for that lock; the dashed arrow points at who holds it"),
    row(pic(24, 24, svg("rect", { x: 7, y: 7, width: 10, height: 10, rx: 1.5, class: "dot bad" })), "the step that goes wrong"),
    row(el("b", { class: "acc" }, "earlier"), "comes earlier than in the observed run"),
    row(pic(52, 20, svg("line", { x1: 2, x2: 46, y1: 10, y2: 10, class: "message", "marker-end": "url(#head-ink)" })), "a message, or a thread that is started"),
    row(pic(52, 20, svg("line", { x1: 2, x2: 50, y1: 10, y2: 10, class: "was" })), "the partner that it had in the observed run"),
    row(pic(52, 20, svg("line", { x1: 2, x2: 50, y1: 10, y2: 10, class: "undelivered" })), "sent, not delivered"),
    row(pic(24, 24, svg("circle", { cx: 12, cy: 12, r: 11, class: "point" }), svg("text", { x: 12, y: 16.5, "text-anchor": "middle", class: "inverse w" }, "2")), "where an operation takes effect, in order"));
  const sure = el("div", { class: "lg" }, ...Object.values(VERDICTS).map(([name, text]) => el("div", {}, el("b", {}, name), el("span", {}, text))));
  const list: [string[], string][] = [[["←", "→"], "step back, step on"], [["Home", "End"], "first, last step"], [["j", "k"], "next, previous finding"], [["o"], "observed or witness"], [["/"], "search"], [["t"], "next tab"], [["d"], "light or dark"], [["?"], "this"]];
  const help = el("div", { class: "lg" }, ...list.map(([k, text]) => el("div", {}, keys(...k), el("span", {}, text))));
  const box = el("div", { role: "dialog", "aria-modal": "true", "aria-label": "Legend and keys" }, el("h2", {}, "Reading the picture", button({ class: "ib", "aria-label": "Close" }, close, icon("close"))),
    el("h3", {}, "Marks"), marks, el("h3", {}, "How sure"), sure, el("h3", {}, "Keys"), help);
  const out = el("div", { class: "dlg" }, box);
  out.addEventListener("click", (e) => { if (e.target === out) close(); });
  return out;
}
