import type { Blog } from "../../blogs/blogs";
import { word } from "../../text/words/words";

/**
 * Makes scrollable code and tables focusable, and labels players and checkboxes. Aligns cells by an attribute, because
 * the page's CSP forbids inline styles. Needs sanitized HTML.
 */
export function accessibleContent(blog: Pick<Blog, "language">, content: string): string {
  return content
    .replace(/<pre(?=[ >])/g, '<pre tabindex="0"')
    .replace(
      /<table(?=[ >])/g,
      `<div class="table" tabindex="0" role="group" aria-label="${word(blog, "table")}"><table`,
    )
    .replaceAll("</table>", "</table></div>")
    .replace(/ (?:style="text-align:|align=")(left|center|right)"/g, ' data-align="$1"')
    .replace(/<iframe(?![^>]* title=)/g, `<iframe title="${word(blog, "video")}"`)
    .replace(/<input(?=[ >])([^>]*)/g, (_, attributes: string) => {
      return `<input aria-label="${word(blog, / checked\b/.test(attributes) ? "done" : "toDo")}"${attributes}`;
    });
}
