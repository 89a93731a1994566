import { blogUrl, postUrl } from "../../../blogs/permalinks";
import type { FieldErrors } from "../../../errors";
import { inputField, NO_CORRECTIONS, selectField } from "../../../http/forms/form-field";
import { isLive, type Post } from "../../../posts/post/post";
import { seriesNames } from "../../../posts/reading/related-posts-and-series";
import { oldSlugsOf } from "../../../posts/storage/slugs-and-permanent-ids";
import { tagNamesOf, topicsByName } from "../../../posts/storage/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import type { PostFields } from "../form/post-fields";
import { focusAt, panelGroup } from "./panel-group";

const MAX_CHOICES = 200;

export function addressGroup(
  { call, blog }: BlogVisit,
  post: Post | null,
  { slug, category, tags, series, type }: PostFields,
  errors: FieldErrors,
): Html {
  const { platen } = call;
  const form = { values: { slug, category, tags, series, type }, errors };
  const field = (name: keyof typeof form.values, label: string, attributes: Html, hint?: string) =>
    inputField(form, name, label, { hint, more: html`type="text"${focusAt(name, errors)} ${attributes}` });
  const offered = (name: string) => html`<option value="${name}">`;
  return panelGroup(
    "Address and topics",
    html`${field("slug", "Address", html`${NO_CORRECTIONS} placeholder="made from the title"`)}
<p class="full-address" data-address="${post?.slug}">${blogUrl(platen, blog)}<strong>${slug || "…"}</strong></p>
${post && redirectHint(call, post)}
${field("category", "Category", html`list="categories" autocomplete="off"`)}
<datalist id="categories">${topicsByName(platen, "category", blog.id, MAX_CHOICES).map(({ name }) => offered(name))}</datalist>
${field("tags", "Tags", html`list="tag-names" autocomplete="off"`, "Separate with commas.")}
<datalist id="tag-names">${tagNamesOf(platen, blog.id, MAX_CHOICES).map(offered)}</datalist>
${field("series", "Series", html`list="series-names" autocomplete="off"`, "Posts of a series link to each other.")}
<datalist id="series-names">${seriesNames(platen, blog.id, MAX_CHOICES).map(offered)}</datalist>
${selectField(form, "type", "Type", { post: "Post", page: "Page" }, { hint: "Pages aren't in lists or feeds. Add links to them in posts or the navigation." })}`,
  );
}

function redirectHint({ platen }: BlogVisit["call"], post: Post): Html {
  const former = oldSlugsOf(platen, post);
  return html`${isLive(post, platen.now()) && html`<p class="hint"><a class="way" href="${postUrl(platen, post.blog, post)}">View on site</a></p>`}
${
  former.length > 0
    ? html`<p class="hint">These addresses redirect here:</p>
<ul class="former">${former.map((slug) => html`<li>${postUrl(platen, post.blog, { slug })}</li>`)}</ul>`
    : html`<p class="hint">If you change the address, the old one redirects to the new one.</p>`
}`;
}
