import { type Html, html } from "../../html";
import { OWN_PLACES, type OwnPlace, PLACES, type Place } from "./places";

/** What can be typed where nothing is being written; the script opens it (see browser/shortcuts). */
export function shortcutsDialog(hasBlog: boolean): Html {
  const places: (Place | OwnPlace)[] = [
    ...(hasBlog ? Object.values(PLACES) : []),
    ...Object.values<OwnPlace>(OWN_PLACES),
  ];
  const keys: [keys: string, does: string][] = [
    ...(hasBlog ? [["n", "New post"] as [string, string]] : []),
    ["/", "Search"],
    ...places.flatMap(({ keys, label }): [string, string][] => (keys ? [[keys, label]] : [])),
    ["?", "This help"],
  ];
  return html`<dialog id="shortcuts" data-keys="?" aria-labelledby="shortcuts-title">
<h2 id="shortcuts-title">Keyboard shortcuts</h2>
<dl class="keys">
${keys.map(([typed, does]) => html`<div><dt>${typed.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${does}</dd></div>`)}
</dl>
<form method="dialog"><button class="quiet">Close</button></form>
</dialog>`;
}
