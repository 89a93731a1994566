import type { Post } from "../posts/post/post";
import { listPosts } from "../posts/reading/filtered-posts";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import { MAX_SEARCH_LENGTH, searchField } from "./layout/admin-layout";
import { icon } from "./layout/icons";
import { blogPlaces, ownPlaces, type Place, settingsLinks } from "./layout/menu-and-shortcuts";
import { type AdminPage, blogRoutes } from "./layout/routing";
import { type BlogVisit, blogPath } from "./layout/visit";
import { postName, stateWords } from "./posts/post-states-and-rows";

export const searchRoutes = blogRoutes({ "GET /search": searchPage });

const MAX_RESULTS = 6;

type Link = Pick<Place, "label" | "icon" | "path">;

/** browser/search-dialog-and-shortcuts.ts copies `#search-results` to the dialog. */
async function searchPage(visit: BlogVisit): Promise<AdminPage> {
  const { call, blog } = visit;
  const text = (call.url.searchParams.get("search") ?? "").trim().slice(0, MAX_SEARCH_LENGTH);
  const posts = await matchingPosts(visit, text);
  const places = placesOf(visit).filter(({ label }) => matches(label, text));
  const actions = actionsOf(visit, text);
  const shown = places.slice(0, MAX_RESULTS);
  const count = posts.length + shown.length + actions.length;
  const main = html`<div class="page-head"><h1>Search</h1></div>
<form class="search-all" role="search" method="get" action="${blogPath(blog, "/search")}">
${searchField("search", text)}
<button class="quiet">Search</button>
</form>
<p class="spoken" id="search-count" role="status">${counted(count, "result")}</p>
<div class="results" id="search-results">
${group(text ? "Posts and pages" : "Last changed", posts)}
${group("Go to", shown.map(linkItem))}
${group("Actions", actions.map(linkItem))}
</div>`;
  return { title: "Search", main };
}

function group(title: string, items: Html[]): Html | null {
  if (items.length === 0) return null;
  return html`<h2>${title}</h2>
<ul>${items}</ul>`;
}

function linkItem({ label, icon: name, path }: Link): Html {
  return html`<li><a href="${path}">${icon(name)}<span class="name">${label}</span></a></li>`;
}

async function matchingPosts({ platen, blog, times }: BlogVisit, text: string): Promise<Html[]> {
  const order = { status: "all", sort: "updated_at", descending: true } as const;
  const listing = { ...order, search: text || undefined, page: 1, limit: MAX_RESULTS };
  const { posts } = await listPosts(platen, blog, listing);
  const now = platen.now();
  return posts.map(
    (post: Post) =>
      html`<li><a href="${blogPath(blog, `/posts/${post.id}`)}">${icon(post.type === "page" ? "pages" : "posts")}<span class="name"><bdi>${postName(post)}</bdi></span> ${stateWords(post, now, times)}</a></li>`,
  );
}

/** A settings tab replaces the menu entry for the same page. */
function placesOf({ account, blog }: BlogVisit): Link[] {
  const tabs = settingsLinks(blog).map(
    ({ label, path }): Link => ({ label: `Settings: ${label}`, icon: "settings", path }),
  );
  const others = [...blogPlaces(blog), ...ownPlaces(account)];
  return [...others.filter(({ path }) => !tabs.some((tab) => tab.path === path)), ...tabs];
}

function actionsOf({ blog }: BlogVisit, text: string): Link[] {
  const actions: Link[] = [
    { label: "New post", icon: "write", path: blogPath(blog, "/posts/new") },
    { label: "New page", icon: "write", path: blogPath(blog, "/posts/new?type=page") },
  ];
  const found = actions.filter(({ label }) => matches(label, text));
  if (text === "") return found;
  const path = blogPath(blog, `/posts?${new URLSearchParams({ search: text })}`);
  return [...found, { label: `Search all posts for “${text}”`, icon: "search", path }];
}

function matches(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/[\s:]+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((term) => words.some((word) => word.startsWith(term)));
}
