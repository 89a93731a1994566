import { placeholdersOf } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { type Html, html, raw } from "../../text/html";

const FOLDER = /^\/media\/([\w-]+)\//;
const EACH_MARK = / data-blur="([\w-]+)"/g;

/** The attribute of an element whose only content is the image at this path: its placeholder is to be seen behind it. */
export function overPlaceholder(path: string): Html | null {
  const folder = FOLDER.exec(path)?.[1];
  return folder ? html` data-blur="${folder}"` : null;
}

/**
 * The placeholders of a page's images, as a `style` for its head: beside an image inside the content they would be
 * images of the post to everybody who parses it (microformats, reading modes).
 */
export function placeholderStyles(platen: Platen, main: Html): Html | null {
  const folders = [...new Set([...main.markup.matchAll(EACH_MARK)].map(([, folder]) => folder as string))];
  const placeholders = placeholdersOf(platen, folders);
  if (placeholders.size === 0) return null;
  const rules = [...placeholders].map(
    ([folder, address]) => `[data-blur="${folder}"]::before{background-image:url(${address})}`,
  );
  return html`<style>${raw(rules.join("\n"))}</style>\n`;
}
