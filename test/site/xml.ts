import { parseXml, type XmlElement } from "@rgrove/parse-xml";

/** Parses strict XML. @throws Error if it is not well-formed or has characters outside of XML 1.0 */
export function xml(text: string): XmlElement {
  return parseXml(text).root as XmlElement;
}

/** Children with this name, including the prefix. */
export function childrenNamed(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child): child is XmlElement => "name" in child && child.name === name);
}

/** The only child with this name. @throws Error if there is none or more than one */
export function childNamed(parent: XmlElement, name: string): XmlElement {
  const found = childrenNamed(parent, name);
  if (found.length !== 1) throw new Error(`${parent.name} has ${found.length} ${name}`);
  return found[0] as XmlElement;
}

export const textOf = (parent: XmlElement, name: string) => childNamed(parent, name).text;
