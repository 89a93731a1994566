import type { FieldFaults } from "../../errors";
import { type Html, html } from "../../html";
import { formField } from "../../http/forms/form-field";
import type { Post } from "../../posts/post/post";
import { categoriesOf } from "../../posts/topics/categories";
import type { BlogVisit } from "../layout/visit";
import type { PostState } from "../words/post-state";
import { type PostFields, SWITCH_NAMES, SWITCHES } from "./post-fields";

/** All about a post that is not its text; closed until it is wanted, or something is wrong in it. */
export function postPanel(
  { call, blog }: BlogVisit,
  post: Post | null,
  fields: PostFields,
  faults: FieldFaults,
  state: PostState,
): Html {
  const isOpen = ["slug", "category", "tags", "publish_at"].some((name) => faults[name]);
  const categories = categoriesOf(call.platen, blog.id);
  return html`<details class="post-panel"${isOpen && html` open`}>
<summary>Settings of this ${fields.type}</summary>
${formField(
  {
    name: "publish_at",
    label: "Publish at",
    faults: faults.publish_at,
    hint: `In ${blog.timeZone}. A time ahead schedules it.`,
  },
  (tied) => html`<input type="datetime-local" ${tied} value="${fields.publishedAt}">`,
)}
${state === "draft" && html`<p class="actions"><button class="quiet" name="action" value="schedule">Schedule</button></p>`}
${formField(
  { name: "slug", label: "Address", faults: faults.slug, hint: "Its former addresses go on leading to it." },
  (tied) =>
    html`<input type="text" ${tied} value="${fields.slug}" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="made from the title">`,
)}
${formField(
  { name: "category", label: "Category", faults: faults.category },
  (tied) => html`<input type="text" ${tied} value="${fields.category}" list="categories" autocomplete="off">`,
)}
<datalist id="categories">${categories.map(({ name }) => html`<option value="${name}">`)}</datalist>
${formField(
  { name: "tags", label: "Tags", faults: faults.tags, hint: "With commas between them." },
  (tied) => html`<input type="text" ${tied} value="${fields.tags}" autocomplete="off">`,
)}
${formField(
  { name: "type", label: "Type" },
  (tied) =>
    html`<select ${tied}>${chosen(
      [
        ["post", "Post"],
        ["page", "Page"],
      ],
      fields.type,
    )}</select>`,
)}
${formField(
  {
    name: "content_type",
    label: "Written in",
    hint: "Changes how the text is read, not the text.",
  },
  (tied) =>
    html`<select ${tied}>${chosen(
      [
        ["html", "Rich text"],
        ["markdown", "Markdown"],
      ],
      fields.contentType,
    )}</select>`,
)}
<fieldset class="switches">
<legend>Where it shows</legend>
${SWITCH_NAMES.map((name) => {
  const [label, does] = SWITCHES[name];
  return html`<div class="switch"><input type="checkbox" id="switch-${name}" name="switch" value="${name}"${fields.switches.includes(name) && html` checked`} aria-describedby="switch-${name}-does">
<label for="switch-${name}">${label}</label><p class="hint" id="switch-${name}-does">${does}</p></div>`;
})}
</fieldset>
${post && otherActions(state)}
</details>`;
}

function otherActions(state: PostState): Html {
  return html`<p class="actions">
${state === "scheduled" && html`<button class="quiet" name="action" value="publish-now">Publish now</button>`}
${state === "archived" && html`<button class="quiet" name="action" value="publish">Publish</button>`}
${(state === "live" || state === "scheduled") && html`<button class="quiet" name="action" value="unpublish">Unpublish</button>`}
<button class="danger" name="action" value="delete" formnovalidate>Delete</button>
</p>`;
}

function chosen(options: [value: string, label: string][], value: string): Html[] {
  return options.map(
    ([one, label]) => html`<option value="${one}"${one === value && html` selected`}>${label}</option>`,
  );
}
