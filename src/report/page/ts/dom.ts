// Elements are made from text nodes only: names from traces are text, whatever they hold.

type Child = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  for (const c of children) if (c != null) e.append(c);
  return e;
}

export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  for (const c of children) if (c != null) e.append(c);
  return e;
}

// Long names are cut for drawing; the whole name is in the title.
export function short(text: string, limit = 40): string {
  return text.length > limit ? text.slice(0, limit - 1) + "…" : text;
}

export function many(n: number, what: string): string { return `${n} ${what}${n === 1 ? "" : "s"}`; }

export function threadTitle(thread: string, name?: string): string {
  return name && name !== thread ? `${thread} ${name}` : thread;
}
