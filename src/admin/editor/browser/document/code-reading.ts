import type { Node as Content, Schema } from "@tiptap/pm/model";
import { attributesOf } from "../html/inert-html";
import { type Blocks, Unknown } from "./reading";

/** @throws Unknown where anything but text stands in it */
export function codeRead(blocks: Blocks, schema: Schema, element: Element): Content {
  const inner = element.firstElementChild;
  const isWrapped = inner?.localName === "code" && element.childNodes.length === 1;
  const holder = isWrapped ? inner : element;
  if ([...holder.childNodes].some((node) => !(node instanceof Text))) throw new Unknown();
  const classes = isWrapped ? (inner.getAttribute("class") ?? "") : "";
  const language = /^language-(\S+)$/.exec(classes)?.[1] ?? null;
  const text = holder.textContent ?? "";
  const attributes = {
    kept: attributesOf(element),
    language,
    isBare: !isWrapped,
    inner: isWrapped ? attributesOf(inner, ...(language ? ["class"] : [])) : null,
    end: text.endsWith("\n") ? "\n" : "",
  };
  const shown = text.replace(/\n$/, "");
  return blocks.make("codeBlock", attributes, shown ? schema.text(shown) : null);
}
