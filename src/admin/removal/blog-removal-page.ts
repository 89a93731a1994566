import { blogUrl } from "../../blogs/permalinks";
import { MAX_SLUG_LENGTH } from "../../blogs/slug";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { blogInNumbers } from "./removal";

/** Asks for the blog's short name before removing it. */
export function blogRemovalMain({ call, blog, token }: BlogVisit, fault?: string): Html {
  const { platen } = call;
  return html`<h1>Remove <bdi>${blog.title}</bdi>?</h1>
<p class="lead">This removes the blog and everything in it. Its addresses will return “not found”. A copy stays in the folder <code>removed</code> of the data folder until you delete it.</p>
<ul class="outcomes">
<li><strong><bdi>${blog.title}</bdi></strong><span>${blogUrl(platen, blog)}</span><span>${blogInNumbers(platen, blog)}</span></li>
</ul>
<section class="settings">
<form method="post">
${csrfField(token)}
${formField(
  {
    name: "slug",
    label: "Short name of the blog",
    faults: fault ? [fault] : [],
    hint: `Type ${blog.slug} to confirm.`,
  },
  (attributes) =>
    html`<input ${attributes} required maxlength="${MAX_SLUG_LENGTH}" autocomplete="off" autocapitalize="none" spellcheck="false">`,
)}
<div class="actions"><button class="danger">Remove blog</button>
<a class="button quiet" href="${blogPath(blog, "/settings")}">Back</a></div>
</form>
</section>`;
}
