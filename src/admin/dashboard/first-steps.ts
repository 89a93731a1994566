import type { Blog } from "../../blogs/blogs";
import { isLoopbackHost } from "../../config/ip-ranges";
import { keepDataVersion } from "../../database/data-version";
import { getSetting, saveSetting } from "../../database/instance-settings";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { countPosts } from "../../posts/lists/list-pages";
import { type Html, html } from "../../text/html";
import { readLastBackup } from "../../upkeep/backup/last-backup";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";

interface Step {
  words: string;
  path: string;
  isDone: boolean;
}

/** What a new blog wants; nothing once all is done, or it was put away. */
export function firstSteps(visit: BlogVisit): Html | null {
  const { call, blog, token } = visit;
  if (isPutAway(call.platen, blog)) return null;
  const steps = stepsOf(visit);
  const left = steps.filter(({ isDone }) => !isDone);
  if (left.length === 0) return null;
  return html`<section class="steps"><h2>First steps</h2>
<ul>
${steps.map(({ words, path, isDone }) =>
  isDone
    ? html`<li class="done"><span class="mark" aria-hidden="true">✓</span><span class="spoken">Done: </span><span>${words}</span></li>`
    : html`<li><span class="mark" aria-hidden="true"></span><a href="${path}">${words}</a></li>`,
)}
</ul>
<form method="post" action="${blogPath(blog)}">${csrfField(token)}<button class="quiet" name="do" value="put-away">Put this list away</button></form>
</section>`;
}

function stepsOf({ call: { platen }, account, blog }: BlogVisit): Step[] {
  const has = (type: "post" | "page") =>
    countPosts(platen, { blogId: blog.id, statuses: ["published"], types: [type] }) > 0;
  const { config } = platen;
  const isAtHome = isLoopbackHost(new URL(config.url).hostname);
  return [
    { words: "Publish a first post", path: blogPath(blog, "/posts/new"), isDone: has("post") },
    {
      words: "Say in a sentence what the blog is about",
      path: blogPath(blog, "/settings"),
      isDone: blog.description !== "",
    },
    { words: "Make a page about yourself", path: blogPath(blog, "/pages"), isDone: has("page") },
    ...(account.isAdmin
      ? [
          {
            words: "Give it the address that readers use (PLATEN_URL)",
            path: "/admin/about",
            isDone: !isAtHome,
          },
          {
            words: "Have backups made",
            path: "/admin/backups",
            isDone: config.backup !== null || readLastBackup(config.data) !== null,
          },
        ]
      : []),
  ];
}

export function putFirstStepsAway(platen: Platen, blog: Blog): void {
  keepDataVersion(platen, () => saveSetting(platen, nameOf(blog), "put away"));
}

function isPutAway(platen: Platen, blog: Blog): boolean {
  return getSetting(platen, nameOf(blog)) !== undefined;
}

const nameOf = ({ id }: Blog) => `first steps of blog ${id}`;
