import { blogUrl, postUrl } from "../../../blogs/permalinks";
import type { FieldErrors } from "../../../errors";
import { formField } from "../../../http/forms/form-field";
import { isLive, type Post } from "../../../posts/post/post";
import { seriesNames } from "../../../posts/reading/related-posts";
import { oldSlugsOf } from "../../../posts/storage/slugs";
import { tagNamesOf, topicsByName } from "../../../posts/topics/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { focusAt, panelGroup, selectOptions } from "./panel-group";

const MAX_CHOICES = 200;

interface Shown {
  slug: string;
  category: string;
  tags: string;
  series: string;
  type: string;
}

export function addressGroup(
  { call, blog }: BlogVisit,
  post: Post | null,
  { slug, category, tags, series, type }: Shown,
  errors: FieldErrors,
): Html {
  const { platen } = call;
  const offered = (name: string) => html`<option value="${name}">`;
  return panelGroup(
    "Address and topics",
    html`${formField(
      { name: "slug", label: "Address", errors: errors.slug },
      (attributes) =>
        html`<input type="text" ${attributes}${focusAt("slug", errors)} value="${slug}" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="made from the title">`,
    )}
<p class="full-address" data-address="${post?.slug}">${blogUrl(platen, blog)}<strong>${slug || "…"}</strong></p>
${post && redirectsHere(call, post)}
${formField(
  {
    name: "category",
    label: "Category",
    errors: errors.category,
  },
  (attributes) =>
    html`<input type="text" ${attributes}${focusAt("category", errors)} value="${category}" list="categories" autocomplete="off">`,
)}
<datalist id="categories">${topicsByName(platen, "category", blog.id, MAX_CHOICES).map(({ name }) => offered(name))}</datalist>
${formField(
  { name: "tags", label: "Tags", errors: errors.tags, hint: "Separate with commas." },
  (attributes) =>
    html`<input type="text" ${attributes}${focusAt("tags", errors)} value="${tags}" list="tag-names" autocomplete="off">`,
)}
<datalist id="tag-names">${tagNamesOf(platen, blog.id, MAX_CHOICES).map(offered)}</datalist>
${formField(
  { name: "series", label: "Series", errors: errors.series, hint: "Posts of a series link to each other." },
  (attributes) =>
    html`<input type="text" ${attributes}${focusAt("series", errors)} value="${series}" list="series-names" autocomplete="off">`,
)}
<datalist id="series-names">${seriesNames(platen, blog.id, MAX_CHOICES).map(offered)}</datalist>
${formField(
  {
    name: "type",
    label: "Type",
    hint: "Pages aren't in lists or feeds, so link to them.",
  },
  (attributes) =>
    html`<select ${attributes}>${selectOptions(
      [
        ["post", "Post"],
        ["page", "Page"],
      ],
      type,
    )}</select>`,
)}`,
  );
}

function redirectsHere({ platen }: BlogVisit["call"], post: Post): Html {
  const former = oldSlugsOf(platen, post);
  return html`${isLive(post, platen.now()) && html`<p class="hint"><a class="way" href="${postUrl(platen, post.blog, post)}">View on site</a></p>`}
${
  former.length > 0
    ? html`<p class="hint">These addresses redirect here:</p>
<ul class="former">${former.map((slug) => html`<li>${postUrl(platen, post.blog, { slug })}</li>`)}</ul>`
    : html`<p class="hint">If you change it, the old address redirects here.</p>`
}`;
}
