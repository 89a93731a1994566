import { blogUrl, postUrl } from "../../../blogs/permalinks";
import type { FieldErrors } from "../../../errors";
import { formField } from "../../../http/forms/form-field";
import { isLive, type Post } from "../../../posts/post/post";
import { seriesNames } from "../../../posts/reading/related-posts";
import { oldSlugsOf } from "../../../posts/storage/slugs";
import { tagNamesOf, topicsByName } from "../../../posts/topics/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { chosen, focusAt, panelGroup } from "./panel-group";

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
  faults: FieldErrors,
): Html {
  const { platen } = call;
  const offered = (name: string) => html`<option value="${name}">`;
  return panelGroup(
    "Address and topics",
    html`${formField(
      { name: "slug", label: "Address", faults: faults.slug },
      (tied) =>
        html`<input type="text" ${tied}${focusAt("slug", faults)} value="${slug}" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="made from the title">`,
    )}
<p class="full-address" data-address="${post?.slug}">${blogUrl(platen, blog)}<strong>${slug || "…"}</strong></p>
${post && leadingHere(call, post)}
${formField(
  {
    name: "category",
    label: "Category",
    faults: faults.category,
  },
  (tied) =>
    html`<input type="text" ${tied}${focusAt("category", faults)} value="${category}" list="categories" autocomplete="off">`,
)}
<datalist id="categories">${topicsByName(platen, "category", blog.id, MAX_CHOICES).map(({ name }) => offered(name))}</datalist>
${formField(
  { name: "tags", label: "Tags", faults: faults.tags, hint: "Separate with commas." },
  (tied) =>
    html`<input type="text" ${tied}${focusAt("tags", faults)} value="${tags}" list="tag-names" autocomplete="off">`,
)}
<datalist id="tag-names">${tagNamesOf(platen, blog.id, MAX_CHOICES).map(offered)}</datalist>
${formField(
  { name: "series", label: "Series", faults: faults.series, hint: "Posts of a series link to each other." },
  (tied) =>
    html`<input type="text" ${tied}${focusAt("series", faults)} value="${series}" list="series-names" autocomplete="off">`,
)}
<datalist id="series-names">${seriesNames(platen, blog.id, MAX_CHOICES).map(offered)}</datalist>
${formField(
  {
    name: "type",
    label: "Type",
    hint: "Pages aren't in lists or feeds, so link to them.",
  },
  (tied) =>
    html`<select ${tied}>${chosen(
      [
        ["post", "Post"],
        ["page", "Page"],
      ],
      type,
    )}</select>`,
)}`,
  );
}

function leadingHere({ platen }: BlogVisit["call"], post: Post): Html {
  const former = oldSlugsOf(platen, post);
  return html`${isLive(post, platen.now()) && html`<p class="hint"><a class="way" href="${postUrl(platen, post.blog, post)}">View on site</a></p>`}
${
  former.length > 0
    ? html`<p class="hint">These addresses redirect here:</p>
<ul class="former">${former.map((slug) => html`<li>${postUrl(platen, post.blog, { slug })}</li>`)}</ul>`
    : html`<p class="hint">If you change it, the old address redirects here.</p>`
}`;
}
