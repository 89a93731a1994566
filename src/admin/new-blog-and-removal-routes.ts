import { recordAuditEvent } from "../accounts/audit-log";
import { type Blog, blogUrl, homeBlog, MAX_BLOG_TITLE_LENGTH } from "../blogs/blogs";
import { addBlog } from "../blogs/new-blogs";
import { MAX_SLUG_LENGTH } from "../blogs/slug";
import { inTransaction } from "../database/transactions";
import { conflict, forbidden, invalid } from "../errors";
import { inputField, NO_CORRECTIONS } from "../http/form-field";
import { listUnfinishedJobs, startJob } from "../jobs/jobs";
import type { Platen } from "../platen";
import { html } from "../text/html";
import { byteWords, counted } from "../text/numbers";
import { measureBlog } from "../upkeep/removal/owned-rows";
import { type Removed, removalJob } from "../upkeep/removal/unfinished-removals";
import { settingsHead } from "./layout/admin-styles";
import { postForm } from "./layout/page-controls";
import { type AdminPage, accountRoutes, blogRoutes, withForm } from "./layout/routing";
import { type AdminForm, type BlogVisit, blogPath, type Visit } from "./layout/visit";

/** "new" is a reserved slug, so no blog has this path. */
export const newBlogRoutes = accountRoutes({
  "GET /blogs/new": newBlogPage,
  "POST /blogs/new": withForm(createBlog, newBlogPage),
});

function createBlog({ platen, account }: Visit, form: AdminForm) {
  const input = { title: form.text("title"), slug: form.text("slug"), domain: form.text("domain") };
  const blog = inTransaction(platen, () => addBlog(platen, account, input));
  // No toast without a domain: it would push down the setup checklist.
  if (!blog.pendingDomain) return { location: blogPath(blog) };
  const toast = `Blog created. ${blog.pendingDomain} takes effect when it points to this server.`;
  return { location: blogPath(blog, "/settings/address"), toast };
}

function newBlogPage(visit: Visit): AdminPage {
  const form = visit.rejected ?? {};
  const main = html`<div class="page-head"><h1>New blog</h1></div>
<section class="settings">
${postForm(visit, "", "/admin/blogs/new")}
${inputField(form, "title", "Title", {
  more: html`required maxlength="${MAX_BLOG_TITLE_LENGTH}" autocomplete="off"`,
})}
${inputField(form, "slug", "Slug", {
  isOptional: true,
  hint: `Used in the address: ${visit.platen.config.url}/@slug/. If empty, the slug is made from the title.`,
  more: html`maxlength="${MAX_SLUG_LENGTH}" ${NO_CORRECTIONS}`,
})}
${inputField(form, "domain", "Domain", {
  isOptional: true,
  hint: "A custom domain, like blog.example.com. You can also add the domain later in the settings.",
  more: html`inputmode="url" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="primary">Create blog</button></div>
</form>
</section>`;
  return { title: "New blog", head: settingsHead, main };
}

export const removalRoutes = blogRoutes({
  "GET /settings/removal": removalPage,
  "POST /settings/removal": withForm(removeBlog, removalPage),
});

function removeBlog(visit: BlogVisit, form: AdminForm) {
  const { id, slug, title } = visit.blog;
  if (form.get("slug")?.trim() !== slug) throw invalid({ slug: [`must be ${slug}`] });
  assertRemovable(visit);
  return { location: `/admin/jobs/${startRemoval(visit, { blog: id, title })}` };
}

function assertRemovable({ platen, blog, account }: BlogVisit): void {
  if (!account.isAdmin) throw forbidden("Only an admin of this server can remove a blog.");
  if (homeBlog(platen)?.id === blog.id)
    throw conflict(
      "This blog uses the server’s own address, which another blog would take over. Remove the blog in a terminal, with platen blog remove.",
    );
}

function removalPage(visit: BlogVisit): AdminPage {
  assertRemovable(visit);
  const { platen, blog, rejected } = visit;
  const main = html`<h1>Remove <bdi>${blog.title}</bdi>?</h1>
<p class="lead">This removes the blog and everything in it. Its addresses will return “not found”. A copy stays in the folder <code>removed</code> of the data folder until you delete it.</p>
<ul class="outcomes">
<li><strong><bdi>${blog.title}</bdi></strong><span>${blogUrl(platen, blog)}</span><span>${blogInNumbers(platen, blog)}</span></li>
</ul>
<section class="settings">
${postForm(visit, "")}
${inputField({ errors: rejected?.errors }, "slug", "Slug of the blog", {
  hint: `Type ${blog.slug} to confirm.`,
  more: html`required maxlength="${MAX_SLUG_LENGTH}" ${NO_CORRECTIONS}`,
})}
<div class="actions"><button class="danger">Remove blog</button>
<a class="button quiet" href="${blogPath(blog, "/settings")}">Back</a></div>
</form>
</section>`;
  return { title: "Remove blog", place: "settings", head: settingsHead, main };
}

/**
 * @returns id of the new job, or of the unfinished job for the same removal
 * @throws Refusal (conflict) if the account has too many unfinished jobs
 */
export function startRemoval({ platen, account }: Visit, removed: Removed): number {
  const runningJob = listUnfinishedJobs(platen).find(
    ({ kind, given }) => kind === removalJob.name && Bun.deepEquals(given, removed),
  );
  if (runningJob) return runningJob.id;
  const job = startJob(platen, removalJob, { blog: null, account, input: removed });
  const act = "blog" in removed ? "began to remove a blog" : "began to remove an account";
  recordAuditEvent(platen, act, { account, about: removed.title });
  return job;
}

export function blogInNumbers(platen: Platen, blog: Blog): string {
  const { posts, files, bytes, komments, messages, webhooks, keys } = measureBlog(platen, blog);
  const numbers = [
    posts > 0 && counted(posts, "post"),
    files > 0 && `${counted(files, "file")} of ${byteWords(bytes)}`,
    komments > 0 && counted(komments, "komment"),
    messages > 0 && counted(messages, "message"),
    webhooks > 0 && counted(webhooks, "webhook URL"),
    keys > 0 && counted(keys, "key"),
  ];
  return numbers.filter(Boolean).join(", ") || "Only its settings";
}
