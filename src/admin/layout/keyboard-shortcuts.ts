import { type Html, html } from "../../text/html";
import { blogPath, blogPlaces, ownPlacesOf, type Place, type PlaceName, topLevelPlaces } from "./menu-places";
import type { Visit } from "./visit";

export const KEYS_TO: Record<PlaceName, string> = {
  dashboard: "g h",
  posts: "g p",
  pages: "g a",
  media: "g m",
  komments: "g k",
  messages: "g i",
  topics: "g c",
  reach: "g r",
  webhooks: "g w",
  transfer: "g x",
  settings: "g s",
  apps: "g e",
  keys: "g y",
  account: "g u",
  people: "g o",
  jobs: "g j",
  backups: "g b",
  mail: "g l",
  about: "g t",
};
export const NEW_POST_KEY = "n";

/** Lists all shortcuts. browser/keyboard-shortcuts.ts opens this dialog. */
export function shortcutsDialog({ account, blog }: Visit): Html {
  const ofBlog = blog ? blogPlaces().map((place) => ({ place, path: blogPath(blog, place[1].path) })) : [];
  const own = ownPlacesOf(account).map((place) => ({ place, path: place[1].path }));
  const all = [...ofBlog, ...own];
  const shown = new Set(
    topLevelPlaces<Pick<Place, "isWithin">>(all.map(({ place }) => place)).map(([name]) => name),
  );
  const entries: [keys: string, does: string | Html][] = [
    ...(blog ? [[NEW_POST_KEY, "New post"] as [string, string]] : []),
    ["Ctrl K", "Search posts, pages and settings"],
    ["/", "Search this list"],
    // A shortcut clicks a link: in the menu, or in this dialog for pages without a menu entry.
    ...all.map(({ place: [name, { label }], path }): [string, string | Html] => {
      const keys = KEYS_TO[name];
      return [keys, shown.has(name) ? label : html`<a href="${path}" data-keys="${keys}">${label}</a>`];
    }),
    ["?", "Show this help"],
  ];
  return html`<dialog id="shortcuts" data-keys="?" aria-labelledby="shortcuts-title">
<h2 id="shortcuts-title">Keyboard shortcuts</h2>
<dl class="keys">
${entries.map(([keys, description]) => html`<div><dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${description}</dd></div>`)}
</dl>
<form method="dialog"><button class="quiet">Close</button></form>
</dialog>`;
}
