import { blogUrl, postUrl } from "../../../blogs/permalinks";
import type { FieldErrors } from "../../../errors";
import { formField } from "../../../http/forms/form-field";
import { isLive } from "../../../posts/post/live";
import type { Post } from "../../../posts/post/post";
import { oldSlugsOf } from "../../../posts/storage/old-slugs";
import { tagNamesOf } from "../../../posts/topics/post-topics";
import { topicsByName } from "../../../posts/topics/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { chosen, focusAt, panelGroup } from "./panel-group";

const MOST_OFFERED = 200;

interface Shown {
  slug: string;
  category: string;
  tags: string;
  type: string;
}

export function addressGroup(
  { call, blog }: BlogVisit,
  post: Post | null,
  { slug, category, tags, type }: Shown,
  faults: FieldErrors,
): Html {
  const { platen } = call;
  const offered = (name: string) => html`<option value="${name}">`;
  return panelGroup(
    "Where it is found",
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
    hint: "One that is there, or a new name.",
  },
  (tied) =>
    html`<input type="text" ${tied}${focusAt("category", faults)} value="${category}" list="categories" autocomplete="off">`,
)}
<datalist id="categories">${topicsByName(platen, "category", blog.id, MOST_OFFERED).map(({ name }) => offered(name))}</datalist>
${formField(
  { name: "tags", label: "Tags", faults: faults.tags, hint: "With commas between them." },
  (tied) =>
    html`<input type="text" ${tied}${focusAt("tags", faults)} value="${tags}" list="tag-names" autocomplete="off">`,
)}
<datalist id="tag-names">${tagNamesOf(platen, blog.id, MOST_OFFERED).map(offered)}</datalist>
${formField(
  {
    name: "type",
    label: "Type",
    hint: "A page stands by itself: no list and no feed has it, a link leads there.",
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
    ? html`<p class="hint">These lead here too:</p>
<ul class="former">${former.map((slug) => html`<li>${postUrl(platen, post.blog, { slug })}</li>`)}</ul>`
    : html`<p class="hint">Change it, and the present one goes on leading here.</p>`
}`;
}
