import type { Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { icon } from "../layout/icons";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { postRows } from "../posts/post-rows";
import { begunList } from "../unsaved/unfinished-posts";
import { firstSteps } from "./first-steps";
import { blogFigures } from "./statistics-section";
import { blogState } from "./status-section";

const MAX_POSTS_SHOWN = 4;

export async function dashboardMain(visit: BlogVisit): Promise<Html> {
  const parts: [heading: string, posts: Post[]][] = [
    ["Continue writing", await newestPosts(visit, "draft", "updated_at", true)],
    ["Scheduled", await newestPosts(visit, "scheduled", "published_at", false)],
    ["Recently published", await newestPosts(visit, "published", "published_at", true)],
  ];
  const { blog } = visit;
  const begun = begunList(visit);
  return html`<div class="page-head"><h1>${blog.title}</h1></div>
${firstSteps(visit)}
${!begun && parts.every(([, posts]) => posts.length === 0) && nothingYet(visit)}
${
  begun &&
  html`<section><h2>Unfinished</h2>
${begun}</section>`
}
${parts.map(
  ([heading, posts]) =>
    posts.length > 0 &&
    html`<section><h2>${heading}</h2>
${postRows(visit.call.platen, posts)}</section>`,
)}
${blogFigures(visit)}
${await blogState(visit)}`;
}

async function newestPosts(
  { call, blog }: BlogVisit,
  status: "draft" | "scheduled" | "published",
  sort: "updated_at" | "published_at",
  descending: boolean,
): Promise<Post[]> {
  const { ids } = await firstListedIds(call.platen, blog, { status, sort, descending }, MAX_POSTS_SHOWN);
  return postsWithIds(call.platen, blog, ids);
}

function nothingYet({ blog }: BlogVisit): Html {
  return html`<div class="empty">
<h2>Nothing here yet</h2>
<p>Start with a title and a sentence. Nobody sees your post until you publish it.</p>
<p class="actions"><a class="button" href="${blogPath(blog, "/posts/new")}">${icon("write")}Write your first post</a></p>
<p><a href="${blogPath(blog, "/transfer")}">Or import posts from another blog</a></p>
</div>`;
}

export function noBlogMain(): Html {
  return html`<h1>No blog yet</h1>
<p class="lead">This account has no blog. Create one here, or in a terminal on the server:</p>
<pre tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>
<p class="actions"><a class="button" href="/admin/blogs/new">New blog</a></p>`;
}
