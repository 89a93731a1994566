import { addBlog, MAX_BLOG_TITLE_LENGTH, type NewBlog } from "../../blogs/blogs";
import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { adminResponse, adminRouter, onAccount } from "../layout/admin-responses";
import { settingsHead } from "../layout/admin-styles";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";

const FORM = { title: MAX_LENGTHS.typedLine, slug: MAX_LENGTHS.requestedSlug, domain: MAX_LENGTHS.typedLine };

/** "new" is a reserved slug, so this path cannot clash with a blog's. */
export const newBlogRoutes = (platen: Platen) =>
  adminRouter(platen, "new blog")
    .get(
      "/admin/blogs/new",
      onAccount((visit) => newBlogResponse(visit, { title: "", slug: "", domain: "" })),
    )
    .post("/admin/blogs/new", onAccount(createBlog));

function newBlogResponse(visit: Visit, input: NewBlog, errors?: FieldErrors): Promise<HttpResponse> {
  return adminResponse(visit, {
    title: "New blog",
    head: settingsHead,
    main: newBlogMain(visit, input, errors),
    status: errors ? ERROR_STATUS.invalid : 200,
  });
}

async function createBlog(visit: Visit): Promise<HttpResponse> {
  const { platen } = visit.call;
  const form = await readAdminForm(visit, FORM);
  const text = (name: keyof typeof FORM) => form.get(name) ?? "";
  const input = { title: text("title"), slug: text("slug"), domain: text("domain") };
  try {
    const blog = inTransaction(platen, () => addBlog(platen, visit.account, input));
    if (blog.pendingDomain)
      return redirectWithToast(visit.call, blogPath(blog, "/settings/address"), {
        message: `Blog created. ${blog.pendingDomain} is used once it points to this server.`,
      });
    // No toast here: it would cover the setup checklist on a phone.
    return seeOther(blogPath(blog));
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "invalid") throw error;
    return newBlogResponse(visit, input, error.fields);
  }
}

function newBlogMain(
  { call, token }: Visit,
  { title, slug, domain }: NewBlog,
  errors: FieldErrors = {},
): Html {
  const plain = html`autocomplete="off" autocapitalize="none" spellcheck="false"`;
  return html`<div class="page-head"><h1>New blog</h1></div>
<section class="settings">
<form method="post" action="/admin/blogs/new">
${csrfField(token)}
${formField(
  { name: "title", label: "Title", errors: errors.title },
  (attributes) =>
    html`<input ${attributes} value="${title}" required maxlength="${MAX_BLOG_TITLE_LENGTH}" autocomplete="off">`,
)}
${formField(
  {
    name: "slug",
    label: "Short name",
    isOptional: true,
    errors: errors.slug,
    hint: `Used in the address: ${call.platen.config.url}/@short-name/. Made from the title if empty.`,
  },
  (attributes) => html`<input ${attributes} value="${slug}" maxlength="${MAX_SLUG_LENGTH}" ${plain}>`,
)}
${formField(
  {
    name: "domain",
    label: "Domain",
    isOptional: true,
    errors: errors.domain,
    hint: "A custom domain, like blog.example.com. You can also add it later in the settings.",
  },
  (attributes) => html`<input ${attributes} value="${domain}" inputmode="url" ${plain}>`,
)}
<div class="actions"><button class="primary">Create blog</button></div>
</form>
</section>`;
}
