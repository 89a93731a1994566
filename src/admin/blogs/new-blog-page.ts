import { MAX_BLOG_TITLE_LENGTH, type NewBlog } from "../../blogs/blogs";
import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import type { Visit } from "../layout/visit";

export function newBlogMain(
  { call, token }: Visit,
  { title, slug, domain }: NewBlog,
  faults: FieldErrors = {},
): Html {
  const plain = html`autocomplete="off" autocapitalize="none" spellcheck="false"`;
  return html`<div class="page-head"><h1>New blog</h1></div>
<section class="settings">
<form method="post" action="/admin/blogs/new">
${csrfField(token)}
${formField(
  { name: "title", label: "Title", faults: faults.title },
  (attributes) =>
    html`<input ${attributes} value="${title}" required maxlength="${MAX_BLOG_TITLE_LENGTH}" autocomplete="off">`,
)}
${formField(
  {
    name: "slug",
    label: "Short name",
    isOptional: true,
    faults: faults.slug,
    hint: `Used in the address: ${call.platen.config.url}/@short-name/. Made from the title if empty.`,
  },
  (attributes) => html`<input ${attributes} value="${slug}" maxlength="${MAX_SLUG_LENGTH}" ${plain}>`,
)}
${formField(
  {
    name: "domain",
    label: "Domain",
    isOptional: true,
    faults: faults.domain,
    hint: "A custom domain, like blog.example.com. You can also add it later in the settings.",
  },
  (attributes) => html`<input ${attributes} value="${domain}" inputmode="url" ${plain}>`,
)}
<div class="actions"><button class="primary">Create blog</button></div>
</form>
</section>`;
}
