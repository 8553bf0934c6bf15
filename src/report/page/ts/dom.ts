// Elements are made from text nodes only: names from traces are text, whatever they hold.

export type Child = Node | string | null | undefined | false;

function fill(e: Element, attributes: Record<string, string | number>, children: Child[]) {
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  for (const c of children) if (c) e.append(c);
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | number> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  fill(e, attributes, children);
  return e;
}

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(e, attributes, children);
  return e;
}

export function button(attributes: Record<string, string | number>, action: (e: MouseEvent) => void, ...children: Child[]): HTMLButtonElement {
  const b = el("button", { type: "button", ...attributes }, ...children);
  b.addEventListener("click", action);
  return b;
}

// Long names are cut in the middle, where they differ least; the whole name is in a title.
export function short(text: string, limit = 40): string {
  if (text.length <= limit) return text;
  const tail = Math.floor((limit - 1) * 0.4);
  return text.slice(0, limit - 1 - tail) + "…" + text.slice(text.length - tail);
}

export function many(n: number, what: string): string { return `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`; }

export function threadTitle(thread: string, name?: string): string {
  return name && name !== thread ? `${thread} ${name}` : thread;
}

const icons: Record<string, string> = {
  first: "M4 3v10M13 3L7 8l6 5", prev: "M10 3L5 8l5 5", next: "M6 3l5 5-5 5", last: "M12 3v10M3 3l6 5-6 5",
  copy: "M6 6h7v7H6zM3 10V3h7", link: "M7 9l2-2M6 6L4.5 7.5a2.5 2.5 0 003.5 3.5L9.5 9.5M10 10l1.5-1.5A2.5 2.5 0 008 5L6.5 6.5",
  moon: "M13 9.5A5.5 5.5 0 016.5 3 5.5 5.5 0 1013 9.5z", down: "M4.5 6.5L8 10l3.5-3.5", close: "M4 4l8 8M12 4l-8 8",
};

export function icon(name: string): SVGElement {
  return svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: icons[name] }));
}
