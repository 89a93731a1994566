import { malformed } from "../../errors";
import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther, sendResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { chartHead } from "../layout/admin-styles";
import { blogPath } from "../layout/menu-places";
import { icon } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm, requireVisit } from "../layout/visit";
import { postRows } from "../posts/post-rows";
import { unfinishedList } from "../unsaved/unfinished-posts";
import { firstSteps, hideFirstSteps } from "./first-steps";
import { needsYou } from "./needs-you";
import { statisticsMain, viewsOfMonth } from "./statistics-page";

export const dashboardRoutes = (platen: Platen) =>
  adminRouter(platen, "dashboard")
    .get("/admin", async ({ call }) => sendResponse(call, await startAnswer(call)))
    .get(
      "/admin/blogs/:slug",
      onBlog(async (visit) =>
        adminResponse(visit, {
          title: "Home",
          place: "dashboard",
          bodyClass: "is-home",
          head: chartHead,
          main: await dashboardMain(visit),
        }),
      ),
    )
    .get(
      "/admin/blogs/:slug/statistics",
      onBlog((visit) =>
        adminResponse(visit, {
          title: "Statistics",
          place: "dashboard",
          head: chartHead,
          main: statisticsMain(visit),
        }),
      ),
    )
    .post("/admin/blogs/:slug", onBlog(changeDashboard));

async function changeDashboard(visit: BlogVisit): Promise<HttpResponse> {
  const form = await readAdminForm(visit, { do: 10 });
  if (form.get("do") !== "put-away") throw malformed("Choose an action.");
  hideFirstSteps(visit.call.platen, visit.blog);
  return redirectWithToast(visit.call, blogPath(visit.blog), { says: "List hidden." });
}

async function startAnswer(call: Call): Promise<HttpResponse> {
  const visitor = requireVisit(call);
  if (visitor.blog) return seeOther(blogPath(visitor.blog));
  return adminResponse(visitor, { title: "Start", main: noBlogMain() });
}

const MAX_DRAFTS = 3;

async function dashboardMain(visit: BlogVisit): Promise<Html> {
  const { platen } = visit.call;
  const { blog } = visit;
  const drafts = await newestPosts(visit, "draft", "updated_at", true, MAX_DRAFTS);
  const scheduled = await newestPosts(visit, "scheduled", "published_at", false, 1);
  const published = await newestPosts(visit, "published", "published_at", true, 1);
  const unfinished = unfinishedList(visit, MAX_DRAFTS);
  const isEmpty = !unfinished && [drafts, scheduled, published].every((posts) => posts.length === 0);
  const section = (heading: string, posts: Post[]) =>
    posts.length > 0 && html`<section><h2>${heading}</h2>${postRows(platen, posts)}</section>`;
  return html`<div class="page-head"><h1>${blog.title}</h1></div>
${await needsYou(visit)}
${firstSteps(visit)}
${isEmpty && nothingYet(visit)}
${unfinished && html`<section><h2>Unfinished</h2>${unfinished}</section>`}
${section("Continue writing", drafts)}
${section("Next scheduled", scheduled)}
${section("Newest post", published)}
${published.length > 0 && viewsOfMonth(visit)}`;
}

async function newestPosts(
  { call, blog }: BlogVisit,
  status: "draft" | "scheduled" | "published",
  sort: "updated_at" | "published_at",
  descending: boolean,
  most: number,
): Promise<Post[]> {
  const type = status === "published" ? "post" : undefined;
  const { ids } = await firstListedIds(call.platen, blog, { status, type, sort, descending }, most);
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

function noBlogMain(): Html {
  return html`<h1>No blog yet</h1>
<p class="lead">This account has no blog. Create one here, or in a terminal on the server:</p>
<pre tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>
<p class="actions"><a class="button" href="/admin/blogs/new">New blog</a></p>`;
}
