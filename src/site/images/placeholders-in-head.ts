import { placeholdersAndFocusOf } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { type Html, html, raw } from "../../text/html";

const FOLDER = /^\/media\/([\w-]+)\//;
const EACH_MARK = / data-blur="([\w-]+)"/g;

/** An attribute for the parent of an image, which then shows the image's placeholder and focal point. */
export function overPlaceholder(path: string): Html | null {
  const folder = FOLDER.exec(path)?.[1];
  return folder ? html` data-blur="${folder}"` : null;
}

/** For the head. Inside the content, parsers would mistake placeholders for images of the post. */
export function placeholderStyles(platen: Platen, main: Html): Html | null {
  const folders = [...new Set([...main.markup.matchAll(EACH_MARK)].map(([, folder]) => folder as string))];
  if (folders.length === 0) return null;
  const rules = placeholdersAndFocusOf(platen, folders).flatMap(({ folder, placeholder, focus }) => [
    ...(placeholder ? [`[data-blur="${folder}"]::before{background-image:url(${placeholder})}`] : []),
    ...(focus ? [`[data-blur="${folder}"]>img{object-position:${focus}}`] : []),
  ]);
  return rules.length > 0 ? html`<style>${raw(rules.join("\n"))}</style>\n` : null;
}
