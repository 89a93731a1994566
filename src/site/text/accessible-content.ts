/**
 * Makes scrolling code and tables focusable and labels players and checkboxes. Cells are aligned by an attribute, because
 * the page policy forbids inline styles. Relies on sanitised HTML.
 */
export function accessibleContent(content: string): string {
  return content
    .replace(/<pre(?=[ >])/g, '<pre tabindex="0"')
    .replace(/<table(?=[ >])/g, '<div class="table" tabindex="0" role="group" aria-label="Table"><table')
    .replaceAll("</table>", "</table></div>")
    .replace(/ (?:style="text-align:|align=")(left|center|right)"/g, ' data-align="$1"')
    .replace(/<iframe(?![^>]* title=)/g, '<iframe title="Video"')
    .replace(/<input(?=[ >])([^>]*)/g, (_, attributes: string) => {
      return `<input aria-label="${/ checked\b/.test(attributes) ? "Done" : "To do"}"${attributes}`;
    });
}
