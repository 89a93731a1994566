import { parseXml, type XmlElement } from "@rgrove/parse-xml";

/** An XML document read strictly: whatever is not well-formed, or no character of XML 1.0, throws. */
export function xml(text: string): XmlElement {
  return parseXml(text).root as XmlElement;
}

/** The children of that name, prefix included. */
export function all(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child): child is XmlElement => "name" in child && child.name === name);
}

/** The one child of that name; anything but one throws. */
export function one(parent: XmlElement, name: string): XmlElement {
  const found = all(parent, name);
  if (found.length !== 1) throw new Error(`${parent.name} has ${found.length} ${name}`);
  return found[0] as XmlElement;
}

export const textOf = (parent: XmlElement, name: string) => one(parent, name).text;
