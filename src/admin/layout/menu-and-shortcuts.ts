import type { Account } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";
import type { IconName } from "./icons";
import { type BlogVisit, blogPath, type Visit } from "./visit";

export interface Place {
  name: string;
  label: string;
  icon: IconName;
  path: string;
  keys: string;
  /** Name of the parent entry. */
  isWithin?: string;
  /** Set if the bottom bar on phones also shows this entry. The bar has room for three. */
  isInBar?: boolean;
  /** Only hides the entry from other people. The routes check access. */
  isForAdmins?: boolean;
}

type StoredPlace = Omit<Place, "path">;

const BLOG_PLACES = [
  { name: "dashboard", label: "Home", icon: "home", keys: "g h", isInBar: true },
  { name: "posts", label: "Posts", icon: "posts", keys: "g p", isInBar: true },
  { name: "pages", label: "Pages", icon: "pages", keys: "g a", isWithin: "posts" },
  { name: "media", label: "Media", icon: "media", keys: "g m" },
  { name: "komments", label: "Komments", icon: "komments", keys: "g k", isInBar: true },
  { name: "messages", label: "Messages", icon: "messages", keys: "g i", isWithin: "komments" },
  { name: "topics", label: "Topics", icon: "topics", keys: "g c", isWithin: "posts" },
  { name: "reach", label: "Reach", icon: "reach", keys: "g r" },
  { name: "webhooks", label: "Webhooks", icon: "webhooks", keys: "g w", isWithin: "settings" },
  { name: "transfer", label: "Import and export", icon: "transfer", keys: "g x", isWithin: "settings" },
  { name: "settings", label: "Settings", icon: "settings", keys: "g s" },
] as const satisfies StoredPlace[];

const OWN_PLACES = [
  { name: "account", label: "Your account", icon: "person", keys: "g u" },
  { name: "keys", label: "API settings", icon: "key", keys: "g y", isWithin: "account" },
  { name: "apps", label: "Apps", icon: "apps", keys: "g e", isWithin: "account" },
  { name: "people", label: "People", icon: "people", keys: "g o", isWithin: "about", isForAdmins: true },
  { name: "jobs", label: "Jobs", icon: "jobs", keys: "g j", isWithin: "about" },
  { name: "backups", label: "Backups", icon: "backups", keys: "g b", isWithin: "about", isForAdmins: true },
  { name: "mail", label: "Mail", icon: "messages", keys: "g l", isWithin: "about", isForAdmins: true },
  { name: "about", label: "About", icon: "about", keys: "g t", isForAdmins: true },
] as const satisfies StoredPlace[];

export type PlaceName = (typeof BLOG_PLACES | typeof OWN_PLACES)[number]["name"];

export function blogPlaces(blog: Blog): Place[] {
  return BLOG_PLACES.map((place) => ({
    ...place,
    path: blogPath(blog, place.name === "dashboard" ? "" : `/${place.name}`),
  }));
}

export function ownPlaces({ isAdmin }: Account): Place[] {
  const places: StoredPlace[] = OWN_PLACES.filter((place: StoredPlace) => isAdmin || !place.isForAdmins);
  return places.map((place) => ({ ...place, path: `/admin/${place.name}` }));
}

const SETTINGS_TABS = [
  ["General", "/settings"],
  ["Design", "/settings/theme"],
  ["HTML and CSS", "/settings/look"],
  ["Reading", "/settings/reading"],
  ["Navigation", "/settings/navigation"],
  ["Address", "/settings/address"],
  ["Import and export", "/transfer"],
] as const;

export function settingsLinks(blog: Blog): { label: string; path: string }[] {
  return SETTINGS_TABS.map(([label, path]) => ({ label, path: blogPath(blog, path) }));
}

export function settingsTop({ blog }: BlogVisit, current: (typeof SETTINGS_TABS)[number][1]): Html {
  return html`<div class="page-head"><h1>Settings</h1></div>
<nav class="tabs" aria-label="Blog settings">
${SETTINGS_TABS.map(([label, path]) => html`<a href="${blogPath(blog, path)}"${path === current && html` aria-current="page"`}>${label}</a>`)}
</nav>`;
}

/** browser/search-dialog-and-shortcuts.ts opens this dialog, and clicks its links. */
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
