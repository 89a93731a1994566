import { attributesOf } from "../html/inert-html";

/** Must read the same attachment formats as src/posts/content/attachment-figures.ts. */
export function parseAttachment(element: Element): Record<string, string> | null {
  const caption = element.querySelector("figcaption")?.textContent?.replace(/\s+/g, " ").trim() ?? "";
  const { sgid, ...attributes } = attributesOf(element) ?? {};
  const unknown = { filename: "", "content-type": "" };
  if (element.localName === "action-text-attachment" && sgid)
    return { sgid, ...unknown, ...attributes, caption: attributes.caption || caption };
  const { "data-sgid": figureSgid, "data-width": width, "data-crop": crop } = attributes;
  if (!element.matches("figure.attachment") || !figureSgid) return null;
  const look = { ...(width && { "data-width": width }), ...(crop && { "data-crop": crop }) };
  return { ...look, sgid: figureSgid, ...unknown, caption };
}
