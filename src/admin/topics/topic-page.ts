import { blogUrl } from "../../blogs/permalinks";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { MAX_TOPIC_NAME_LENGTH } from "../../posts/post/post-limits";
import { type CountedTopic, type TopicKind, topicsByName } from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { parentLink } from "../layout/list-controls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";

/** Suggestions for merging; others can be typed. */
const MAX_SUGGESTIONS = 100;

export interface TopicInput {
  name?: string;
  into?: string;
  faults: FieldErrors;
}

export function topicMain(
  visit: BlogVisit,
  kind: TopicKind,
  topic: CountedTopic,
  typed: TopicInput = { faults: {} },
): Html {
  const { call, blog, token } = visit;
  const { id, name, slug, posts } = topic;
  const path = blogPath(blog, "/topics");
  const list = kind === "tag" ? `${path}?kind=tag` : path;
  const others = topicsByName(call.platen, kind, blog.id, MAX_SUGGESTIONS + 1)
    .map((other) => other.name)
    .filter((other) => other !== name);
  const url = `${blogUrl(call.platen, blog)}${kind}/${slug}`;
  const inList = `${blogPath(blog, "/posts")}?${kind === "tag" ? new URLSearchParams({ tag: name }) : `category=${id}`}`;
  const form = (verb: string, heading: string, fields: Html, button: Html) => html`<section class="settings">
<h2>${heading}</h2>
<form method="post" action="${path}/${kind}/${id}">
${csrfField(token)}
<input type="hidden" name="do" value="${verb}">
${fields}
<div class="actions">${button}</div>
</form>
</section>`;
  return html`${parentLink(list, kind === "tag" ? "Tags" : "Categories")}
<div class="page-head"><h1><bdi>${name}</bdi></h1></div>
<p class="about"><a href="${inList}">${counted(posts, "post")}</a> <a href="${url}">${url}</a></p>
${form("rename", "Rename", nameField(name, typed), html`<button class="primary">Save</button>`)}
${
  others.length > 0 &&
  form("merge", "Merge", intoField(kind, name, others, typed), html`<button class="quiet">Merge</button>`)
}
${form(
  "delete",
  "Delete",
  html`<p>${posts === 0 ? "No post uses it." : `It will be removed from ${counted(posts, "post")}; the posts stay.`} Its address will redirect to the archive.</p>`,
  html`<button class="danger">Delete<span class="spoken"> ${name}</span></button>`,
)}`;
}

function nameField(name: string, typed: TopicInput): Html {
  const hint = "Its address changes with the name. The old address redirects to it.";
  return formField(
    { name: "name", label: "Name", faults: typed.faults.name, hint },
    (attributes) =>
      html`<input ${attributes} value="${typed.name ?? name}" required maxlength="${MAX_TOPIC_NAME_LENGTH}" autocomplete="off">`,
  );
}

function intoField(kind: TopicKind, name: string, others: string[], typed: TopicInput): Html {
  const hint = `Its posts move to that ${kind}, its address redirects there, and ${name} is deleted.`;
  return html`${formField(
    { name: "into", label: "Into", faults: typed.faults.into, hint },
    (attributes) =>
      html`<input ${attributes} value="${typed.into}" required list="others" autocomplete="off">`,
  )}
<datalist id="others">${others.slice(0, MAX_SUGGESTIONS).map((other) => html`<option value="${other}">`)}</datalist>`;
}
