import { markdownToHtml } from "../../../posts/content/markdown";
import { POST_ELEMENTS, sanitizePostHtml } from "../../../posts/content/sanitising";
import type { ImportedItem } from "../items/imported-item";

/** Of one post, by name. */
const MOST_TOLD = 20;
/** What stands for a file until the post is shown; what stands around a picture, which stays. */
const NO_LOSS = ["action-text-attachment", "picture"];

/** What a text holds and no post may, by its name, as often as it stands there. @throws Refusal as the post's own rendering does */
export function elementsLost({
  content,
  contentType,
}: Pick<ImportedItem, "content" | "contentType">): string[] {
  if (!holdsOthers(content)) return [];
  const html = contentType === "html" ? content : markdownToHtml(content, { isPlain: false });
  const { dropped } = sanitizePostHtml(html);
  return [...dropped]
    .filter(([name]) => !NO_LOSS.includes(name))
    .slice(0, MOST_TOLD)
    .flatMap(([name, times]) =>
      Array.from({ length: times }, () => `<${name.slice(0, 40)}>, which no post may hold`),
    );
}

/** A look that costs little; most texts hold none. A frame may be at an address that none may show. */
function holdsOthers(content: string): boolean {
  for (const [, name = ""] of content.matchAll(/<([a-z][\w:-]{0,60})/gi)) {
    const known = name.toLowerCase();
    if (!NO_LOSS.includes(known) && (!POST_ELEMENTS.has(known) || known === "iframe")) return true;
  }
  return false;
}
