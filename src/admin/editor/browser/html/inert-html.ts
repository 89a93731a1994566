export type Attributes = Record<string, string>;

const TAG = /<[a-zA-Z](?:"[^"]*"|'[^']*'|[^'">])*>/g;
const FORBIDDEN = /"[^"]*"|'[^']*'|(?<=[\s/"'])(style|on[a-z]+)(?=[\s=/>]|$)/gi;
const RENAMED = /"[^"]*"|'[^']*'|(?<=\s)kept-(style|on[a-z]+)(?=[\s=/>]|$)/g;

/**
 * Parses HTML in a template, which loads and runs nothing. Renames style and handler attributes to kept-*,
 * because the CSP would report violations. `attributesOf` and `htmlOf` restore their names.
 */
export function nodesOf(html: string): Node[] {
  const template = document.createElement("template");
  template.innerHTML = html.replace(TAG, (tag) =>
    tag.replace(FORBIDDEN, (found, name?: string) => (name ? `kept-${name}` : found)),
  );
  return [...template.content.childNodes];
}

export function attributesOf(element: Element, ...excluded: string[]): Attributes | null {
  const named = [...element.attributes].map(
    ({ name, value }) => [name.replace(/^kept-/, ""), value] as const,
  );
  const remaining = named.filter(([name]) => !excluded.includes(name));
  return remaining.length > 0 ? Object.fromEntries(remaining) : null;
}

export function htmlOf(node: Node): string {
  const holder = document.createElement("template");
  holder.content.append(node.cloneNode(true));
  return holder.innerHTML.replace(TAG, (tag) =>
    tag.replace(RENAMED, (found, name?: string) => name ?? found),
  );
}
