import type { Blog } from "../blogs/blogs";
import { isLoopbackHost } from "../config/ip-ranges";
import { keepDataVersion } from "../database/change-counter";
import { getSetting, saveSetting } from "../database/instance-settings";
import { receiverHealth } from "../deliveries/delivery-log-and-redelivery";
import { isSuccess } from "../deliveries/retries-and-disabling";
import { blogKomments, countKomments } from "../komments/komment-list";
import { relayProblem } from "../mail/relay-settings";
import { countMessages } from "../messages";
import type { Platen } from "../platen";
import { excerpt } from "../posts/content/plain-text-and-excerpts";
import type { Post } from "../posts/post/post";
import { firstListedIds } from "../posts/reading/filtered-posts";
import { countPosts } from "../posts/storage/post-list-queries";
import { postsWithIds } from "../posts/storage/stored-posts";
import { unfinishedPosts } from "../posts/unsaved-posts";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import { backupSchedule, backupStatus, readLastBackup } from "../upkeep/backup/backup-schedule";
import { findRefusedIpTargets, listWebhooks, type Webhook } from "../webhooks/webhook-urls";
import { type PostFields, parseFields } from "./editor/post-form";
import { chartHead } from "./layout/admin-styles";
import { icon } from "./layout/icons";
import { postForm } from "./layout/page-controls";
import type { AdminPage, AdminResult, AdminRoutes } from "./layout/routing";
import { accountRoutes, blogRoutes, withActions } from "./layout/routing";
import { type BlogVisit, blogPath, type Visit } from "./layout/visit";
import { postRows } from "./posts/post-states-and-rows";
import { monthViews } from "./statistics-routes";

export const dashboardRoutes: AdminRoutes = {
  ...accountRoutes({ "GET /": startPage }),
  ...blogRoutes({
    "GET /": dashboardPage,
    "POST /": withActions({ "put-away": hideFirstSteps }),
  }),
};

function startPage({ blog }: Visit): AdminResult {
  if (blog) return { location: blogPath(blog) };
  const main = html`<h1>No blog yet</h1>
<p class="lead">This account has no blog. Create one here, or in a terminal on the server:</p>
<pre tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>
<p class="actions"><a class="button" href="/admin/blogs/new">New blog</a></p>`;
  return { title: "Start", main };
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
${firstSteps(visit)}
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

const MAX_NAMES = 3;

interface Need {
  words: string;
  about: string;
  path: string;
  isProblem?: boolean;
}

async function attentionSection(visit: BlogVisit): Promise<Html | null> {
  const needs = [pendingKomments(visit), unreadMessages(visit), await brokenWebhooks(visit)];
  const shown = [...needs, failedBackup(visit), mailProblem(visit)].filter((need) => need !== null);
  if (shown.length === 0) return null;
  return html`<section class="needs"><h2>Needs you</h2>
<ul class="rows">
${shown.map(needRow)}</ul>
</section>`;
}

function needRow({ words, about, path, isProblem }: Need): Html {
  return html`<li><div class="what"><a class="name${isProblem && " fault"}" href="${path}">${words}</a>
<p class="about"><span><bdi>${about}</bdi></span></p></div></li>
`;
}

function pendingKomments({ platen, blog }: BlogVisit): Need | null {
  const count = countKomments(platen, blog, "waiting");
  if (count === 0) return null;
  const rows = blogKomments(platen, blog, { status: "waiting", page: 1, limit: MAX_NAMES });
  const names = [...new Set(rows.map(({ komment }) => komment.name))].join(", ");
  return {
    words: counted(count, "pending komment"),
    about: `from ${names}${count > rows.length ? " and others" : ""}`,
    path: blogPath(blog, "/komments"),
  };
}

function unreadMessages({ platen, blog }: BlogVisit): Need | null {
  const count = countMessages(platen, blog, "waiting");
  if (count === 0) return null;
  const words = counted(count, "unread message");
  return { words, about: "from readers", path: blogPath(blog, "/messages") };
}

async function brokenWebhooks({ platen, blog }: BlogVisit): Promise<Need | null> {
  const all = listWebhooks(platen, blog);
  const urls = all.map(({ url }) => url);
  const rejected = await findRefusedIpTargets(platen, blog, urls);
  const broken = all.flatMap((webhook) => {
    const problem = webhookProblem(platen, webhook, rejected.has(webhook.url));
    return problem === null ? [] : [{ host: URL.parse(webhook.url)?.host ?? webhook.url, why: problem }];
  });
  const [first] = broken;
  if (!first) return null;
  return {
    words: counted(broken.length, "webhook problem"),
    about: `${first.host} ${first.why}`,
    path: blogPath(blog, "/webhooks"),
    isProblem: true,
  };
}

function webhookProblem(platen: Platen, webhook: Webhook, isRejected: boolean): string | null {
  if (webhook.disabledAt) return "is turned off";
  if (webhook.pausedAt) return null;
  if (isRejected) return "is blocked by server settings";
  const { last } = receiverHealth(platen, webhook);
  return webhook.failingSince || (last && !isSuccess(last)) ? "is failing" : null;
}

function failedBackup({ platen, account }: BlogVisit): Need | null {
  const failure = backupStatus(platen).find((line) => line.startsWith("backup failed: "));
  if (!account.isAdmin || failure === undefined) return null;
  const about = failure.slice("backup failed: ".length);
  return { words: "The last backup failed", about, path: "/admin/backups", isProblem: true };
}

/** A failing mail relay cannot be reported by mail, so the dashboard reports the failure. */
function mailProblem({ platen, blog, account }: BlogVisit): Need | null {
  const about = relayProblem(platen);
  if (about === null) return null;
  const path = account.isAdmin ? "/admin/mail" : blogPath(blog, "/reach");
  return { words: "No mail is being sent", about, path, isProblem: true };
}

const hiddenSetting = ({ id }: Blog) => `first steps of blog ${id}`;

function hideFirstSteps({ platen, blog }: BlogVisit) {
  keepDataVersion(platen, () => saveSetting(platen, hiddenSetting(blog), "put away"));
  return "List hidden.";
}

function firstSteps(visit: BlogVisit): Html | null {
  const { platen, blog } = visit;
  if (getSetting(platen, hiddenSetting(blog)) !== undefined) return null;
  const steps = stepsOf(visit);
  const left = steps.filter(([, , isDone]) => !isDone).length;
  if (left === 0) return null;
  return html`<details class="steps"><summary>First steps <span>${left} left</span></summary>
<ul>
${steps.map(([words, path, isDone]) =>
  isDone
    ? html`<li class="done"><span class="mark" aria-hidden="true">✓</span><span class="spoken">Done: </span><span>${words}</span></li>`
    : html`<li><span class="mark" aria-hidden="true"></span><a href="${path}">${words}</a></li>`,
)}
</ul>
${postForm(visit, "", blogPath(blog))}<button class="quiet" name="do" value="put-away">Hide this list</button></form>
</details>`;
}

type Step = [words: string, path: string, isDone: boolean];

function stepsOf({ platen, account, blog }: BlogVisit): Step[] {
  const has = (type: "post" | "page") =>
    countPosts(platen, { blogId: blog.id, statuses: ["published"], types: [type] }) > 0;
  const { config } = platen;
  const isLocalOnly = isLoopbackHost(new URL(config.url).hostname);
  const hasBackups = backupSchedule(platen) !== null || readLastBackup(config.data) !== null;
  const ofBlog: Step[] = [
    ["Publish your first post", blogPath(blog, "/posts/new"), has("post")],
    ["Add a one-line description", blogPath(blog, "/settings"), blog.description !== ""],
    ["Add a page about yourself", blogPath(blog, "/pages"), has("page")],
  ];
  if (!account.isAdmin) return ofBlog;
  return [
    ...ofBlog,
    ["Set your public address (PLATEN_URL)", "/admin/about", !isLocalOnly],
    ["Turn on backups", "/admin/backups", hasBackups],
  ];
}
