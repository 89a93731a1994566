import type { Blog } from "../../blogs/blogs";
import { isLoopbackHost } from "../../config/ip-ranges";
import { keepDataVersion } from "../../database/change-counter";
import { getSetting, saveSetting } from "../../database/instance-settings";
import type { Platen } from "../../platen";
import { countPosts } from "../../posts/storage/post-list-queries";
import { type Html, html } from "../../text/html";
import { backupSchedule, readLastBackup } from "../../upkeep/backup/backup-schedule";
import { postForm } from "../layout/page-controls";
import { type BlogVisit, blogPath } from "../layout/visit";

interface Step {
  words: string;
  path: string;
  isDone: boolean;
}

export function setupChecklist(visit: BlogVisit): Html | null {
  const { platen, blog } = visit;
  if (areFirstStepsHidden(platen, blog)) return null;
  const steps = stepsOf(visit);
  const left = steps.filter(({ isDone }) => !isDone);
  if (left.length === 0) return null;
  return html`<details class="steps"><summary>First steps <span>${left.length} left</span></summary>
<ul>
${steps.map(({ words, path, isDone }) =>
  isDone
    ? html`<li class="done"><span class="mark" aria-hidden="true">✓</span><span class="spoken">Done: </span><span>${words}</span></li>`
    : html`<li><span class="mark" aria-hidden="true"></span><a href="${path}">${words}</a></li>`,
)}
</ul>
${postForm(visit, "", blogPath(blog))}<button class="quiet" name="do" value="put-away">Hide this list</button></form>
</details>`;
}

function stepsOf({ platen, account, blog }: BlogVisit): Step[] {
  const has = (type: "post" | "page") =>
    countPosts(platen, { blogId: blog.id, statuses: ["published"], types: [type] }) > 0;
  const { config } = platen;
  const isLocalOnly = isLoopbackHost(new URL(config.url).hostname);
  const hasBackups = backupSchedule(platen) !== null || readLastBackup(config.data) !== null;
  const hasDescription = blog.description !== "";
  return [
    { words: "Publish your first post", path: blogPath(blog, "/posts/new"), isDone: has("post") },
    { words: "Add a one-line description", path: blogPath(blog, "/settings"), isDone: hasDescription },
    { words: "Add a page about yourself", path: blogPath(blog, "/pages"), isDone: has("page") },
    ...(account.isAdmin
      ? [
          { words: "Set your public address (PLATEN_URL)", path: "/admin/about", isDone: !isLocalOnly },
          { words: "Turn on backups", path: "/admin/backups", isDone: hasBackups },
        ]
      : []),
  ];
}

export function hideFirstSteps(platen: Platen, blog: Blog): void {
  keepDataVersion(platen, () => saveSetting(platen, hiddenSetting(blog), "put away"));
}

function areFirstStepsHidden(platen: Platen, blog: Blog): boolean {
  return getSetting(platen, hiddenSetting(blog)) !== undefined;
}

const hiddenSetting = ({ id }: Blog) => `first steps of blog ${id}`;
