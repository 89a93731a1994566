import { type Html, html } from "../../text/html";
import { blogPlaces, ownPlaces } from "./menu-places";
import { blogPath, type Visit } from "./visit";

/** browser/keyboard-shortcuts.ts opens this dialog, and clicks its links. */
export function shortcutsDialog({ account, blog }: Visit): Html {
  const link = (path: string, keys: string, label: string) =>
    shortcut(keys, html`<a href="${path}" data-keys="${keys}">${label}</a>`);
  const places = [...(blog ? blogPlaces(blog) : []), ...ownPlaces(account)];
  return html`<dialog id="shortcuts" data-keys="?" aria-labelledby="shortcuts-title">
<h2 id="shortcuts-title">Keyboard shortcuts</h2>
<dl class="keys">
${blog && link(blogPath(blog, "/posts/new"), "n", "New post")}
${shortcut("Ctrl K", "Search posts, pages and settings")}
${shortcut("/", "Search this list")}
${places.map(({ path, keys, label }) => link(path, keys, label))}
${shortcut("?", "Show this help")}
</dl>
<form method="dialog"><button class="quiet">Close</button></form>
</dialog>`;
}

function shortcut(keys: string, description: Html | string): Html {
  return html`<div><dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${description}</dd></div>`;
}
