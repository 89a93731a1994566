import { LONGEST_TITLE, type NewBlog } from "../../blogs/blogs";
import { LONGEST_SLUG } from "../../blogs/slug";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import type { Visit } from "../layout/visit";

/** Another blog, for the account that is signed in. */
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
    html`<input ${attributes} value="${title}" required maxlength="${LONGEST_TITLE}" autocomplete="off">`,
)}
${formField(
  {
    name: "slug",
    label: "Short name",
    isOptional: true,
    faults: faults.slug,
    hint: `What its address ends with: ${call.platen.config.url}/@short-name/. Made of the title where you type none.`,
  },
  (attributes) => html`<input ${attributes} value="${slug}" maxlength="${LONGEST_SLUG}" ${plain}>`,
)}
${formField(
  {
    name: "domain",
    label: "Domain",
    isOptional: true,
    faults: faults.domain,
    hint: "A host name of its own, like blog.example.com. It can be given later; its settings say what it takes.",
  },
  (attributes) => html`<input ${attributes} value="${domain}" inputmode="url" ${plain}>`,
)}
<div class="actions"><button class="primary">Make the blog</button></div>
</form>
</section>`;
}
