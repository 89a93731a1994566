/** HTML that is read and not shown: nothing in it is loaded or run. */

/** HTML attributes, by name. */
export type Attributes = Record<string, string>;

const TAG = /<[a-zA-Z](?:"[^"]*"|'[^']*'|[^'">])*>/g;
const REFUSED = /"[^"]*"|'[^']*'|(?<=[\s/"'])(style|on[a-z]+)(?=[\s=/>]|$)/gi;
const RENAMED = /"[^"]*"|'[^']*'|(?<=\s)kept-(style|on[a-z]+)(?=[\s=/>]|$)/g;

/**
 * What the HTML holds. The page's policy refuses styles and handlers in attributes, and browsers complain of them here
 * already: so those have another name. `attributesOf` and `htmlOf` give them their own again.
 */
export function nodesOf(html: string): Node[] {
  const template = document.createElement("template");
  template.innerHTML = html.replace(TAG, (tag) =>
    tag.replace(REFUSED, (found, name?: string) => (name ? `kept-${name}` : found)),
  );
  return [...template.content.childNodes];
}

/** All attributes of an element but those named; null where none are left. */
export function attributesOf(element: Element, ...but: string[]): Attributes | null {
  const named = [...element.attributes].map(
    ({ name, value }) => [name.replace(/^kept-/, ""), value] as const,
  );
  const left = named.filter(([name]) => !but.includes(name));
  return left.length > 0 ? Object.fromEntries(left) : null;
}

export function htmlOf(node: Node): string {
  const holder = document.createElement("template");
  holder.content.append(node.cloneNode(true));
  return holder.innerHTML.replace(TAG, (tag) =>
    tag.replace(RENAMED, (found, name?: string) => name ?? found),
  );
}
