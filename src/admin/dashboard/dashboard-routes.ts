import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import type { Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { unfinishedPosts } from "../../posts/unsaved-posts";
import { type Html, html } from "../../text/html";
import { type PostFields, parseFields } from "../editor/post-form";
import {
  type AdminPage,
  type AdminResult,
  type AdminRoutes,
  accountRoutes,
  blogRoutes,
  withActions,
} from "../layout/admin-routes";
import { chartHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { type BlogVisit, blogPath, type Visit } from "../layout/visit";
import { postRows } from "../posts/post-rows";
import { attentionSection } from "./attention-section";
import { hideFirstSteps, setupChecklist } from "./first-steps-section";
import { monthViews, statisticsPage } from "./statistics-page";

export const dashboardRoutes: AdminRoutes = {
  ...accountRoutes({ "GET /": startPage }),
  ...blogRoutes({
    "GET /": dashboardPage,
    "POST /": withActions({ "put-away": hideChecklist }),
    "GET /statistics": statisticsPage,
  }),
};

function hideChecklist({ platen, blog }: BlogVisit) {
  hideFirstSteps(platen, blog);
  return { location: blogPath(blog), toast: "List hidden." };
}

function startPage({ blog }: Visit): AdminResult {
  return blog ? { location: blogPath(blog) } : { title: "Start", main: noBlogMain() };
}

const MAX_DRAFTS = 3;

async function dashboardPage(visit: BlogVisit): Promise<AdminPage> {
  const { platen, blog } = visit;
  const byTime = { sort: "published_at", descending: true } as const;
  const byChange = { sort: "updated_at", descending: true } as const;
  const drafts = await firstPosts(visit, { status: "draft", ...byChange }, MAX_DRAFTS);
  const scheduled = await firstPosts(visit, { status: "scheduled", ...byTime, descending: false }, 1);
  const published = await firstPosts(visit, { status: "published", type: "post", ...byTime }, 1);
  const unfinished = unfinishedList(visit, MAX_DRAFTS);
  const isEmpty = !unfinished && [drafts, scheduled, published].every((posts) => posts.length === 0);
  const section = (heading: string, posts: Post[]) =>
    posts.length > 0 && html`<section><h2>${heading}</h2>${postRows(platen, posts)}</section>`;
  const main = html`<div class="page-head"><h1>${blog.title}</h1></div>
${await attentionSection(visit)}
${setupChecklist(visit)}
${isEmpty && emptyState(visit)}
${unfinished && html`<section><h2>Unfinished</h2>${unfinished}</section>`}
${section("Continue writing", drafts)}
${section("Next scheduled", scheduled)}
${section("Newest post", published)}
${published.length > 0 && monthViews(visit)}`;
  return { title: "Home", place: "dashboard", bodyClass: "is-home", head: chartHead, main };
}

type PostQuery = Parameters<typeof firstListedIds>[2];

async function firstPosts({ platen, blog }: BlogVisit, query: PostQuery, limit: number): Promise<Post[]> {
  const { ids } = await firstListedIds(platen, blog, query, limit);
  return postsWithIds(platen, blog, ids);
}

function emptyState({ blog }: BlogVisit): Html {
  return html`<div class="empty">
<h2>Nothing here yet</h2>
<p>Start with a title and a sentence. Nobody sees your post until you publish it.</p>
<p class="actions"><a class="button" href="${blogPath(blog, "/posts/new")}">${icon("write")}Write your first post</a></p>
<p><a href="${blogPath(blog, "/transfer")}">Or import posts from another blog</a></p>
</div>`;
}

function noBlogMain(): Html {
  return html`<h1>No blog yet</h1>
<p class="lead">This account has no blog. Create one here, or in a terminal on the server:</p>
<pre tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>
<p class="actions"><a class="button" href="/admin/blogs/new">New blog</a></p>`;
}

const MAX_EXAMINED = 500;
const MAX_NAME_LENGTH = 70;

function unfinishedList({ platen, account, blog, times }: BlogVisit, limit: number): Html | null {
  const rows = unfinishedPosts(platen, account.id, blog.id, limit);
  if (rows.length === 0) return null;
  return html`<ul class="rows">
${rows.map(
  ({ newPost, fields, keptAt }) => html`<li><div class="what">
<a class="name" href="${blogPath(blog, `/posts/new?unsaved=${newPost}`)}">${draftName(parseFields(fields))}</a>
<p class="about"><span class="state draft">Unsaved draft</span><span>${times.near(keptAt)}</span></p>
</div></li>
`,
)}</ul>`;
}

function draftName({ title, content }: PostFields): string {
  const text = content.slice(0, MAX_EXAMINED).replace(/<[^>]*>?/g, " ");
  return title.trim() || excerpt(text, MAX_NAME_LENGTH) || "Untitled";
}
