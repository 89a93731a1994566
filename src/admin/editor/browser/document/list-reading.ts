import type { Node as Content } from "@tiptap/pm/model";
import { attributesOf } from "../html/inert-html";
import { isNothing } from "./pieces";
import { type Blocks, Unknown } from "./reading";

type ReadItem = (blocks: Blocks, element: Element) => Content;

/** @throws Unknown where anything but items stands in it */
export function listRead(blocks: Blocks, type: string, element: Element, item: ReadItem): Content {
  const items = [...element.childNodes].filter((node) => !isNothing(node));
  if (!items.every((node) => node instanceof Element && node.localName === "li")) throw new Unknown();
  const start = element.localName === "ol" ? startOf(element) : null;
  const kept = attributesOf(element, ...(start ? ["start"] : []));
  const read = (items as Element[]).map((one) => item(blocks, one));
  return blocks.make(type, { kept, ...(start && { start }) }, read);
}

export const itemRead: ReadItem = (blocks, element) =>
  blocks.make("listItem", { kept: attributesOf(element) }, blocks.inside(element));

export const taskRead: ReadItem = (blocks, element) => {
  const copy = element.cloneNode(true) as Element;
  const box = copy.querySelector("input") as HTMLInputElement;
  const attributes = { checked: box.hasAttribute("checked"), box: attributesOf(box) };
  box.remove();
  return blocks.make("taskItem", { kept: attributesOf(element), ...attributes }, blocks.inside(copy));
};

export function isTask(element: Element): boolean {
  return element.localName === "li" && firstIn(element)?.matches("input[type=checkbox i]") === true;
}

function firstIn(element: Element): Element | null {
  const first = [...element.childNodes].find((node) => !isNothing(node));
  if (!(first instanceof Element)) return null;
  return first.localName === "p" ? firstIn(first) : first;
}

function startOf(element: Element): number | null {
  const start = element.getAttribute("start");
  return start !== null && start !== "1" && /^\d{1,6}$/.test(start) && String(Number(start)) === start
    ? Number(start)
    : null;
}
