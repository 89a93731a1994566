/**
 * Sanitised HTML, in which `<` stands in tags only, with what keyboards and screen readers need of it: what may be wider
 * than the page can be scrolled to, and players and ticks have names.
 */
export function reachable(content: string): string {
  return content
    .replace(/<pre(?=[ >])/g, '<pre tabindex="0"')
    .replace(/<table(?=[ >])/g, '<div class="table" tabindex="0" role="group" aria-label="Table"><table')
    .replaceAll("</table>", "</table></div>")
    .replace(/<iframe(?![^>]* title=)/g, '<iframe title="Video"')
    .replace(/<input(?=[ >])([^>]*)/g, (_, attributes: string) => {
      return `<input aria-label="${/ checked\b/.test(attributes) ? "Done" : "To do"}"${attributes}`;
    });
}
