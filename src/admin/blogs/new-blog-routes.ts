import { MAX_BLOG_TITLE_LENGTH } from "../../blogs/blogs";
import { addBlog } from "../../blogs/new-blogs";
import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { inTransaction } from "../../database/transactions";
import { type FormState, inputField, NO_CORRECTIONS } from "../../http/forms/form-field";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onAccount } from "../layout/admin-responses";
import { settingsHead } from "../layout/admin-styles";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type Visit, withForm } from "../layout/visit";

/** "new" is a reserved slug, so no blog has this path. */
export const newBlogRoutes = (platen: Platen) =>
  adminRouter(platen, "new blog")
    .get(
      "/admin/blogs/new",
      onAccount((visit) => newBlogResponse(visit)),
    )
    .post("/admin/blogs/new", onAccount(withForm(createBlog)));

function newBlogResponse(visit: Visit, rejected?: FormState): Promise<HttpResponse> {
  return adminResponse(visit, {
    title: "New blog",
    head: settingsHead,
    main: newBlogMain(visit, rejected),
    isRejected: !!rejected,
  });
}

async function createBlog(visit: Visit, form: AdminForm): Promise<HttpResponse> {
  const { platen } = visit.call;
  const input = { title: form.text("title"), slug: form.text("slug"), domain: form.text("domain") };
  try {
    const blog = inTransaction(platen, () => addBlog(platen, visit.account, input));
    if (blog.pendingDomain)
      return redirectWithToast(
        visit.call,
        blogPath(blog, "/settings/address"),
        `Blog created. ${blog.pendingDomain} takes effect when it points to this server.`,
      );
    // No toast here: it would push down the setup checklist.
    return seeOther(blogPath(blog));
  } catch (error) {
    return newBlogResponse(visit, form.rejected(error, "title", "slug", "domain"));
  }
}

function newBlogMain({ call, token }: Visit, form: FormState = {}): Html {
  return html`<div class="page-head"><h1>New blog</h1></div>
<section class="settings">
<form method="post" action="/admin/blogs/new">
${csrfField(token)}
${inputField(form, "title", "Title", {
  more: html`required maxlength="${MAX_BLOG_TITLE_LENGTH}" autocomplete="off"`,
})}
${inputField(form, "slug", "Slug", {
  isOptional: true,
  hint: `Used in the address: ${call.platen.config.url}/@slug/. If empty, the slug is made from the title.`,
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
}
