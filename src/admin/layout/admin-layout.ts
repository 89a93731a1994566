import { blogUrl } from "../../blogs/permalinks";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { adminStyles } from "./admin-styles";
import { icon } from "./line-icons";
import { blogPath, blogPlaces, inRail, isHere, ownPlacesOf, type PlaceName } from "./menu-places";
import { KEY_TO_WRITE, KEYS_TO, shortcutsDialog } from "./shortcuts";
import { type Toast, toasts } from "./toasts-and-undo";
import type { Visit } from "./visit";

export interface AdminPage {
  /** Of the window; the page's own heading is in `main`. */
  title: string;
  main: Html;
  /** Where in the rail we are. */
  place?: PlaceName;
  /** What else belongs into the head. */
  head?: Html;
  /** Of `body`, for pages that are laid out in their own way. */
  bodyClass?: string;
}

/** The frame of every page: the switcher on top, the rail (a bar on the phone), the page, what has just been done. */
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
<a class="skip" href="#main">Skip to the page</a>
${top(visit)}
${rail(visit, waiting, place)}
<main id="main" tabindex="-1">
${main}
</main>
${bar(visit, waiting, place)}
${toasts(toast, token)}
${shortcutsDialog(visit)}
</body>
</html>
`;
}

function top({ call, blogs, blog }: Visit): Html {
  if (!blog) return html`<header class="top"><span class="blog-name">Platen</span></header>`;
  return html`<header class="top">
<button type="button" class="switcher" popovertarget="blogs">
<span class="letter" aria-hidden="true">${[...blog.title][0]}</span>
<span class="blog-name">${blog.title}</span>
${icon("choose")}<span class="spoken">, choose another blog</span>
</button>
<a class="icon-button" href="${blogUrl(call.platen, blog)}" aria-label="See the blog">${icon("open")}</a>
<nav class="sheet" id="blogs" popover aria-label="Your blogs">
<ul>
${blogs.map((one) => html`<li><a href="${blogPath(one)}"${one.id === blog.id && html` aria-current="true"`}>${one.title}</a></li>`)}
<li><a class="new" href="/admin/blogs/new">${icon("add")}New blog</a></li>
</ul>
</nav>
</header>`;
}

/** On a phone it is a sheet that the bar opens. */
function rail(visit: Visit, waiting: Waiting, place?: PlaceName): Html {
  const { account, blog, token } = visit;
  return html`<nav class="rail" id="rail" popover aria-label="Places">
${
  blog &&
  html`<a class="button write" href="${blogPath(blog, "/posts/new")}" data-keys="${KEY_TO_WRITE}">${icon("write")}New post</a>
<ul>
${inRail(blogPlaces()).map(([name, one]) => html`<li><a href="${blogPath(blog, one.path)}" data-keys="${KEYS_TO[name]}"${isHere(blogPlaces(), name, place) && html` aria-current="page"`}>${icon(one.icon)}${one.label}${waitingWords(waiting.get(name))}</a></li>`)}
</ul>`
}
${ownPlaces(visit, place)}
<form class="who" method="post" action="/auth/sign-out">
${csrfField(token)}
<input type="hidden" name="next" value="/admin">
<span title="${account.email}">${account.name || account.email}</span>
<button class="quiet">Sign out</button>
</form>
</nav>`;
}

function ownPlaces({ account }: Visit, place?: PlaceName): Html {
  const reached = ownPlacesOf(account);
  return html`<ul class="own">
${inRail(reached).map(([name, one]) => html`<li><a href="${one.path}" data-keys="${KEYS_TO[name]}"${isHere(reached, name, place) && html` aria-current="page"`}>${icon(one.icon)}${one.label}</a></li>`)}
</ul>`;
}

/** How much waits at each place. */
type Waiting = Map<PlaceName, number>;

function waitingFor({ call, blog }: Visit): Waiting {
  if (!blog) return new Map();
  return new Map(blogPlaces().map(([name, { waiting }]) => [name, waiting?.(call.platen, blog) ?? 0]));
}

function waitingWords(count = 0): Html | null {
  return count > 0 ? html` <span class="waiting">${count}<span class="spoken"> waiting</span></span>` : null;
}

function bar({ blog }: Visit, waiting: Waiting, place?: PlaceName): Html {
  if (!blog) return html`<nav class="bar" aria-label="Quick ways">${moreButton(0)}</nav>`;
  const behindMore = blogPlaces().filter(([, { isInBar }]) => !isInBar);
  const [first, ...others] = blogPlaces()
    .filter(([, { isInBar }]) => isInBar)
    .map(
      ([name, one]) =>
        html`<a href="${blogPath(blog, one.path)}"${name === place && html` aria-current="page"`}>${icon(one.icon)}${one.label}</a>`,
    );
  return html`<nav class="bar" aria-label="Quick ways">
${first}${others.slice(0, 1)}
<a class="write" href="${blogPath(blog, "/posts/new")}">${icon("write")}Write</a>
${others.slice(1)}${moreButton(behindMore.reduce((sum, [name]) => sum + (waiting.get(name) ?? 0), 0))}
</nav>`;
}

/** @param waiting at the places that it leads to */
function moreButton(waiting: number): Html {
  return html`<button type="button" popovertarget="rail">${icon("more")}More${waitingWords(waiting)}</button>`;
}
