import type { Node as Content } from "@tiptap/pm/model";
import { attributesOf } from "../html/inert-html";
import { type Blocks, type ReadingContext, UnsupportedHtml } from "./reading-context";

export function readAttachment(blocks: Blocks, { attachment }: ReadingContext, element: Element): Content {
  const found = parseAttachment(element);
  if (!found) throw new UnsupportedHtml();
  const { sgid, filename, "content-type": contentType, caption, ...rest } = found;
  const attributes = { sgid, filename, contentType, caption, rest };
  return blocks.make("attachment", { ...attributes, ...attachment(sgid as string) });
}

/** Must read the same attachment formats as src/posts/content/attachment-figures.ts. */
export function parseAttachment(element: Element): Record<string, string> | null {
  const caption = element.querySelector("figcaption")?.textContent?.replace(/\s+/g, " ").trim() ?? "";
  if (element.localName === "action-text-attachment") {
    const { sgid, ...attributes } = attributesOf(element) ?? {};
    if (!sgid) return null;
    return { sgid, filename: "", "content-type": "", ...attributes, caption: attributes.caption || caption };
  }
  if (element.localName !== "figure") return null;
  const sgid = element.classList.contains("attachment") && element.getAttribute("data-sgid");
  if (!sgid) return null;
  const [width, crop] = ["data-width", "data-crop"].map((name) => element.getAttribute(name));
  return {
    ...(width && { "data-width": width }),
    ...(crop && { "data-crop": crop }),
    sgid,
    filename: "",
    "content-type": "",
    caption,
  };
}
