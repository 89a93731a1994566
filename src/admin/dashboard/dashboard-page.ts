import type { Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { icon } from "../layout/line-icons";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { postRows } from "../posts/post-rows";
import { begunList } from "../unsaved/unfinished-posts";
import { blogFigures } from "./blog-figures";
import { blogState } from "./blog-state";
import { firstSteps } from "./first-steps";

/** Posts of each kind that are shown. */
const SHOWN = 4;

/** Where to go on: drafts, what goes live next, what was published last; then how the blog does. */
export async function dashboardMain(visit: BlogVisit): Promise<Html> {
  const parts: [heading: string, posts: Post[]][] = [
    ["Go on writing", await few(visit, "draft", "updated_at", true)],
    ["Goes live next", await few(visit, "scheduled", "published_at", false)],
    ["Published last", await few(visit, "published", "published_at", true)],
  ];
  const { blog } = visit;
  const begun = begunList(visit);
  return html`<div class="page-head"><h1>${blog.title}</h1></div>
${firstSteps(visit)}
${!begun && parts.every(([, posts]) => posts.length === 0) && nothingYet(visit)}
${
  begun &&
  html`<section><h2>Begun, not drafts yet</h2>
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

async function few(
  { call, blog }: BlogVisit,
  status: "draft" | "scheduled" | "published",
  sort: "updated_at" | "published_at",
  descending: boolean,
): Promise<Post[]> {
  const { ids } = await firstListedIds(call.platen, blog, { status, sort, descending }, SHOWN);
  return postsWithIds(call.platen, blog, ids);
}

function nothingYet({ blog }: BlogVisit): Html {
  return html`<div class="empty">
<h2>A blank page</h2>
<p>Nothing is written here yet. A title and a first sentence are enough; nobody sees it until you publish it.</p>
<p class="actions"><a class="button" href="${blogPath(blog, "/posts/new")}">${icon("write")}Write your first post</a></p>
<p><a href="${blogPath(blog, "/transfer")}">Or bring in what you wrote elsewhere</a></p>
</div>`;
}

/** For an account that has none. */
export function noBlogMain(): Html {
  return html`<h1>No blog yet</h1>
<p class="lead">This account has no blog. Make one, here or in a terminal on the machine that Platen runs on:</p>
<pre tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>
<p class="actions"><a class="button" href="/admin/blogs/new">New blog</a></p>`;
}
