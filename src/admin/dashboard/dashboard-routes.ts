import { malformed } from "../../errors";
import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { chartHead } from "../charts/chart-styles";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { icon } from "../layout/icons";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm, requireVisit } from "../layout/visit";
import { postRows } from "../posts/post-rows";
import { begunList } from "../unsaved/unfinished-posts";
import { firstSteps, hideFirstSteps } from "./first-steps";
import { blogFigures } from "./statistics-section";
import { blogState } from "./status-section";

export const dashboardRoutes = (platen: Platen) =>
  adminRouter(platen, "dashboard")
    .get("/admin", async ({ call }) => sendResponse(call, await startAnswer(call)))
    .get(
      "/admin/blogs/:slug",
      onBlog(async (visit) =>
        adminResponse(visit, {
          title: "Home",
          place: "dashboard",
          head: chartHead,
          main: await dashboardMain(visit),
        }),
      ),
    )
    .post("/admin/blogs/:slug", onBlog(changeDashboard), { parse: "none" });

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

const MAX_POSTS_SHOWN = 4;

async function dashboardMain(visit: BlogVisit): Promise<Html> {
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

function noBlogMain(): Html {
  return html`<h1>No blog yet</h1>
<p class="lead">This account has no blog. Create one here, or in a terminal on the server:</p>
<pre tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>
<p class="actions"><a class="button" href="/admin/blogs/new">New blog</a></p>`;
}
