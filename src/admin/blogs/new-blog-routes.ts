import { MAX_BLOG_TITLE_LENGTH } from "../../blogs/blogs";
import { addBlog } from "../../blogs/new-blogs";
import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { inTransaction } from "../../database/transactions";
import { inputField, NO_CORRECTIONS } from "../../http/forms/form-field";
import { html } from "../../text/html";
import { type AdminPage, accountRoutes, withForm } from "../layout/admin-routes";
import { settingsHead } from "../layout/admin-styles";
import { postForm } from "../layout/page-controls";
import { type AdminForm, blogPath, type Visit } from "../layout/visit";

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
