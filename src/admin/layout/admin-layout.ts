import { type Blog, blogUrl } from "../../blogs/blogs";
import { countKomments } from "../../komments/komment-list";
import { countMessages } from "../../messages";
import { csrfField } from "../../owner/csrf";
import type { ScriptName } from "../../owner/scripts/entry-points";
import { type Html, html } from "../../text/html";
import { adminStyles } from "./admin-styles";
import { icon } from "./icons";
import { blogPlaces, ownPlaces, type Place, type PlaceName, shortcutsDialog } from "./menu-and-shortcuts";
import { type Toast, toasts } from "./toasts";
import { blogPath, type Visit } from "./visit";

export interface AdminPage {
  title: string;
  main: Html;
  place?: PlaceName;
  head?: Html;
  bodyClass?: string;
  status?: number;
  headers?: Record<string, string>;
  scripts?: readonly ScriptName[];
  /** Scripts that another script loads when needed. */
  later?: ScriptName[];
  toast?: Toast;
}

export function adminLayout(visit: Visit, page: AdminPage, toast: Toast | null, scripts: Html[]): Html {
  const { title, main, place, head, bodyClass } = page;
  const { blog, token } = visit;
  const waiting = waitingFor(visit);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex,nofollow">
<title>${title} · ${blog?.title ?? "Platen"}</title>
<link rel="stylesheet" href="${adminStyles.path}">
${scripts}
${head}
</head>
<body data-account="${visit.account.id}"${bodyClass && html` class="${bodyClass}"`}>
<a class="skip" href="#main">Skip to content</a>
${top(visit)}
${sidebar(visit, waiting, place)}
${toasts(toast, token)}
<main id="main" tabindex="-1">
${main}
</main>
${bar(visit, waiting, place)}
${shortcutsDialog(visit)}
${blog && searchDialog(blog)}
</body>
</html>
`;
}

function top({ platen, blogs, blog }: Visit): Html {
  if (!blog) return html`<header class="top"><span class="blog-name">Platen</span></header>`;
  return html`<header class="top">
<button type="button" class="switcher" popovertarget="blogs">
<span class="letter" aria-hidden="true">${[...blog.title][0]}</span>
<span class="blog-name">${blog.title}</span>
${icon("choose")}<span class="spoken">, switch blog</span>
</button>
<a class="icon-button search" href="${blogPath(blog, "/search")}" data-search aria-keyshortcuts="Control+K Meta+K" aria-label="Search" title="Search (Ctrl K)">${icon("search")}</a>
<a class="icon-button" href="${blogUrl(platen, blog)}" aria-label="View the blog">${icon("open")}</a>
<nav class="sheet" id="blogs" popover aria-label="Your blogs">
<ul>
${blogs.map((one) => html`<li><a href="${blogPath(one)}"${one.id === blog.id && html` aria-current="true"`}>${one.title}</a></li>`)}
<li><a class="new" href="/admin/blogs/new">${icon("add")}New blog</a></li>
</ul>
</nav>
</header>`;
}

function sidebar(visit: Visit, waiting: WaitingCounts, place?: PlaceName): Html {
  const { account, blog, token } = visit;
  return html`<nav class="rail" id="rail" popover aria-label="Menu">
${
  blog &&
  html`<a class="button write" href="${blogPath(blog, "/posts/new")}">${icon("write")}New post</a>
<ul>
<li><a href="${blogPath(blog, "/search")}" data-search aria-keyshortcuts="Control+K Meta+K" title="Search (Ctrl K)">${icon("search")}Search</a></li>
${sidebarEntries(blogPlaces(blog), waiting, place)}
</ul>`
}
<ul class="own">
${sidebarEntries(ownPlaces(account), waiting, place)}
</ul>
<form class="who" method="post" action="/auth/sign-out">
${csrfField(token)}
<input type="hidden" name="next" value="/admin">
<span title="${account.email}">${account.name || account.email}</span>
<button class="quiet">Sign out</button>
</form>
</nav>`;
}

function sidebarEntries(places: Place[], waiting: WaitingCounts, place?: PlaceName): Html[] {
  const topLevel = places.filter(({ isWithin }) => !places.some(({ name }) => name === isWithin));
  return topLevel.map((entry) => {
    const below = places.filter(({ isWithin }) => isWithin === entry.name);
    const isOpen = [entry, ...below].some(({ name }) => name === place);
    const count = sumOf(waiting, isOpen ? [entry] : [entry, ...below]);
    return html`<li>${sidebarLink(entry, count, place)}${
      isOpen &&
      below.length > 0 &&
      html`
<ul>${below.map((child) => html`<li>${sidebarLink(child, sumOf(waiting, [child]), place)}</li>`)}</ul>`
    }</li>`;
  });
}

function sidebarLink({ name, label, path, icon: drawing }: Place, count: number, place?: PlaceName): Html {
  return html`<a href="${path}"${name === place && html` aria-current="page"`}>${icon(drawing)}${label}${waitingBadge(count)}</a>`;
}

/** Items that need the owner's attention, by place. Must be fast, because every page shows the numbers. */
type WaitingCounts = Partial<Record<string, number>>;

function waitingFor({ platen, blog }: Visit): WaitingCounts {
  if (!blog) return {};
  return {
    komments: countKomments(platen, blog, "waiting"),
    messages: countMessages(platen, blog, "waiting"),
  };
}

function sumOf(waiting: WaitingCounts, places: Place[]): number {
  return places.reduce((sum, { name }) => sum + (waiting[name] ?? 0), 0);
}

function waitingBadge(count: number): Html | null {
  return count > 0 ? html` <span class="waiting">${count}<span class="spoken"> waiting</span></span>` : null;
}

function bar({ blog }: Visit, waiting: WaitingCounts, place?: PlaceName): Html {
  if (!blog) return html`<nav class="bar" aria-label="Shortcuts">${moreButton(0)}</nav>`;
  const places = blogPlaces(blog);
  const [first, ...others] = places
    .filter(({ isInBar }) => isInBar)
    .map((entry) => sidebarLink(entry, sumOf(waiting, [entry]), place));
  const behindMore = places.filter(({ isInBar }) => !isInBar);
  return html`<nav class="bar" aria-label="Shortcuts">
${first}${others.slice(0, 1)}
<a class="write" href="${blogPath(blog, "/posts/new")}">${icon("write")}Write</a>
${others.slice(1)}${moreButton(sumOf(waiting, behindMore))}
</nav>`;
}

function moreButton(waiting: number): Html {
  return html`<button type="button" popovertarget="rail">${icon("more")}More${waitingBadge(waiting)}</button>`;
}

export const MAX_SEARCH_LENGTH = 100;

/** browser/search-dialog-and-shortcuts.ts fills the dialog from the search page. */
function searchDialog(blog: Blog): Html {
  return html`<dialog id="search-dialog" closedby="any" aria-label="Search">
<form role="search" method="get" action="${blogPath(blog, "/search")}">
${searchField("dialog-search", "")}
<button hidden>Search</button>
<button type="button" class="icon-button" data-close-search aria-label="Close" title="Close">${icon("close")}</button>
</form>
<p class="spoken" role="status"></p>
<div class="results"></div>
</dialog>`;
}

export function searchField(id: string, text: string): Html {
  return html`<div class="search-field">${icon("search")}
<label class="spoken" for="${id}">Search posts, pages and settings</label>
<input type="search" id="${id}" name="search" value="${text}" placeholder="Search" maxlength="${MAX_SEARCH_LENGTH}" autocomplete="off">
</div>`;
}
