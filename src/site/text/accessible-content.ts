/**
 * Sanitised HTML with what keyboards and screen readers need: code and tables that scroll can be focused, players and
 * checkboxes have labels. Cells are aligned by an attribute of ours: the page policy forbids their style. Relies on `<`
 * and `"` standing in tags only.
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
