import type { Blog } from "../blogs/blogs";
import { word } from "../text/words/words";

/** For sanitized HTML. Cells are aligned by an attribute, because the page's CSP forbids inline styles. */
export function accessibleContent(blog: Pick<Blog, "language">, content: string): string {
  const table = `<div class="table" tabindex="0" role="group" aria-label="${word(blog, "table")}">`;
  return numberReferences(content)
    .replace(/<pre(?=[ >])/g, '<pre tabindex="0"')
    .replaceAll("</code></pre>", '</code><span class="select" aria-hidden="true"></span></pre>')
    .replace(/<table(?=[ >])/g, `${table}<table`)
    .replaceAll("</table>", "</table></div>")
    .replace(/ (?:style="text-align:|align=")(left|center|right)"/g, ' data-align="$1"')
    .replace(/<iframe(?![^>]* title=)/g, `<iframe title="${word(blog, "video")}"`)
    .replace(/<input(?=[ >])([^>]*)/g, (_, attributes: string) => {
      return `<input aria-label="${word(blog, / checked\b/.test(attributes) ? "done" : "toDo")}"${attributes}`;
    });
}

/** Numbers the first reference to each footnote, so that CSS can show the footnote next to it. */
function numberReferences(content: string): string {
  const numbers = new Set<string>();
  return content.replace(/<sup class="footnote-ref">(?=<a [^>]*>(\d+)<)/g, (sup, number: string) => {
    if (numbers.has(number)) return sup;
    numbers.add(number);
    return `<sup class="footnote-ref" data-note="${number}">`;
  });
}
