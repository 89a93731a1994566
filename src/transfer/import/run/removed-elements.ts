import { markdownToHtml } from "../../../posts/content/markdown";
import { POST_ELEMENTS, sanitizePostHtml } from "../../../posts/content/post-sanitizer";
import type { ImportedItem } from "../items/imported-item";

const MAX_LISTED = 20;
/** Elements that are no loss: attachments are rendered later, and <picture> is only a wrapper. */
const NO_LOSS = ["action-text-attachment", "picture"];

/**
 * Names of elements that the sanitizer removes, one per occurrence.
 * @throws Refusal if the content cannot be rendered
 */
export function findRemovedElements({
  content,
  contentType,
}: Pick<ImportedItem, "content" | "contentType">): string[] {
  if (!holdsOthers(content)) return [];
  const html = contentType === "html" ? content : markdownToHtml(content, { isPlain: false });
  const { dropped } = sanitizePostHtml(html);
  return [...dropped]
    .filter(([name]) => !NO_LOSS.includes(name))
    .slice(0, MAX_LISTED)
    .flatMap(([name, times]) =>
      Array.from({ length: times }, () => `<${name.slice(0, 40)}>, which posts cannot contain`),
    );
}

/** A fast check before sanitizing. Frames always need sanitizing, because only some hosts are allowed. */
function holdsOthers(content: string): boolean {
  for (const [, name = ""] of content.matchAll(/<([a-z][\w:-]{0,60})/gi)) {
    const known = name.toLowerCase();
    if (!NO_LOSS.includes(known) && (!POST_ELEMENTS.has(known) || known === "iframe")) return true;
  }
  return false;
}
