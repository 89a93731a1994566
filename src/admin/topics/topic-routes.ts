import { blogUrl } from "../../blogs/permalinks";
import { notFound } from "../../errors";
import { type FormState, inputField } from "../../http/forms/form-field";
import type { HttpResponse } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { MAX_TOPIC_NAME_LENGTH } from "../../posts/post/post-limits";
import { deleteTopic, mergeTopics, renameTopic } from "../../posts/topics/topic-changes";
import {
  type CountedTopic,
  type TopicKind,
  topicNamed,
  topicOfBlog,
  topicsByName,
  topicsOfBlog,
} from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { settingsHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { blogPath } from "../layout/menu-places";
import { pageLinks, pageNumber, parentLink, withQuery } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, withForm } from "../layout/visit";

export const topicRoutes = (platen: Platen) =>
  adminRouter(platen, "topics")
    .get("/admin/blogs/:slug/topics", onBlog(listResponse))
    .get("/admin/blogs/:slug/topics/category/:id", onBlog(topicResponse))
    .get("/admin/blogs/:slug/topics/tag/:id", onBlog(topicResponse))
    .post("/admin/blogs/:slug/topics/category/:id", onBlog(withForm(changeTopic)))
    .post("/admin/blogs/:slug/topics/tag/:id", onBlog(withForm(changeTopic)));

function listResponse(visit: BlogVisit): Promise<HttpResponse> {
  const main = topicsMain(visit);
  return adminResponse(visit, { title: "Topics", place: "topics", main, scripts: ["post-list"] });
}

function topicResponse(visit: BlogVisit, id: number, rejected?: FormState): Promise<HttpResponse> {
  const { kind, topic } = requireTopic(visit, id);
  return adminResponse(visit, {
    title: topic.name,
    place: "topics",
    head: settingsHead,
    main: topicMain(visit, kind, topic, rejected),
    isRejected: !!rejected,
  });
}

async function changeTopic(visit: BlogVisit, form: AdminForm, id: number): Promise<HttpResponse> {
  const { call, blog } = visit;
  const { kind, topic } = requireTopic(visit, id);
  try {
    const message = await applyTopicChange(visit, kind, topic, form);
    return redirectWithToast(call, blogPath(blog, kind === "tag" ? "/topics?kind=tag" : "/topics"), message);
  } catch (error) {
    return topicResponse(visit, id, form.rejected(error, form.text("do") === "merge" ? "into" : "name"));
  }
}

async function applyTopicChange(
  { call: { platen }, blog }: BlogVisit,
  kind: TopicKind,
  topic: CountedTopic,
  form: AdminForm,
): Promise<string> {
  if (form.text("do") === "delete") {
    await deleteTopic(platen, kind, topic);
    return `${topic.name} deleted.`;
  }
  if (form.text("do") !== "merge") {
    const renamed = renameTopic(platen, kind, topic, form.text("name"));
    return `${topic.name} renamed to ${renamed.name}.`;
  }
  const other = topicNamed(platen, kind, blog.id, form.text("into").trim()) ?? topic;
  await mergeTopics(platen, kind, topic, other);
  return `${topic.name} merged into ${other.name}.`;
}

function requireTopic({ call, blog }: BlogVisit, id: number): { kind: TopicKind; topic: CountedTopic } {
  const kind = call.url.pathname.includes("/topics/tag/") ? "tag" : "category";
  const topic = topicOfBlog(call.platen, blog, kind, id);
  if (!topic) throw notFound(kind);
  return { kind, topic };
}

const MAX_SUGGESTIONS = 100;

function topicMain(visit: BlogVisit, kind: TopicKind, topic: CountedTopic, rejected?: FormState): Html {
  const { call, blog, token } = visit;
  const { id, name, slug, posts } = topic;
  const path = blogPath(blog, "/topics");
  const list = kind === "tag" ? `${path}?kind=tag` : path;
  const others = topicsByName(call.platen, kind, blog.id, MAX_SUGGESTIONS + 1)
    .map((other) => other.name)
    .filter((other) => other !== name);
  const url = `${blogUrl(call.platen, blog)}${kind}/${slug}`;
  const inList = withQuery(blogPath(blog, "/posts"), kind === "tag" ? { tag: name } : { category: id });
  const state = { values: { name, into: "", ...rejected?.values }, errors: rejected?.errors };
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
${form("rename", "Rename", nameField(state), html`<button class="primary">Save</button>`)}
${
  others.length > 0 &&
  form("merge", "Merge", intoField(kind, name, others, state), html`<button class="quiet">Merge</button>`)
}
${form(
  "delete",
  "Delete",
  html`<p>${posts === 0 ? `No post uses this ${kind}.` : `The ${kind} will be removed from ${counted(posts, "post")}; the posts stay.`} The ${kind}'s address will redirect to the archive.</p>`,
  html`<button class="danger">Delete<span class="spoken"> ${name}</span></button>`,
)}`;
}

function nameField(state: FormState): Html {
  return inputField(state, "name", "Name", {
    hint: "The address changes with the name. The old address redirects to the new one.",
    more: html`required maxlength="${MAX_TOPIC_NAME_LENGTH}" autocomplete="off"`,
  });
}

function intoField(kind: TopicKind, name: string, others: string[], state: FormState): Html {
  return html`${inputField(state, "into", "Into", {
    hint: `The posts of ${name} move to that ${kind}, the address of ${name} redirects, and ${name} is deleted.`,
    more: html`required list="others" autocomplete="off"`,
  })}
<datalist id="others">${others.slice(0, MAX_SUGGESTIONS).map((other) => html`<option value="${other}">`)}</datalist>`;
}

const TOPICS_PER_PAGE = 50;
const MAX_SEARCH_LENGTH = 100;

function topicsMain(visit: BlogVisit): Html {
  const { call, blog } = visit;
  const { searchParams } = call.url;
  const kind = searchParams.get("kind") === "tag" ? "tag" : "category";
  const words = (searchParams.get("search") ?? "").trim().slice(0, MAX_SEARCH_LENGTH);
  const page = pageNumber(searchParams);
  const path = blogPath(blog, "/topics");
  const { topics, total } = topicsOfBlog(call.platen, blog, kind, { words, page, limit: TOPICS_PER_PAGE });
  const [one, more] = kind === "tag" ? ["tag", "tags"] : ["category", "categories"];
  return html`<div class="page-head"><h1>Topics</h1></div>
<form class="filter by-name" role="search" method="get" action="${path}" data-follow="count results">
${kind === "tag" && html`<input type="hidden" name="kind" value="tag">`}
<div class="search-field">${icon("search")}
<label class="spoken" for="search">Search ${more}</label>
<input type="search" id="search" name="search" value="${words}" placeholder="Search" data-keys="/" maxlength="${MAX_SEARCH_LENGTH}" autocomplete="off">
</div>
</form>
<div class="list-head">
<nav class="tabs" aria-label="Kind">
<a href="${path}"${kind === "category" && html` aria-current="page"`}>Categories</a>
<a href="${path}?kind=tag"${kind === "tag" && html` aria-current="page"`}>Tags</a>
</nav>
<p class="count" id="count" role="status">${total === 0 ? `No ${more}` : counted(total, one as string, more)}</p>
</div>
<div id="results">
${topics.length > 0 ? html`<ul class="rows">${topics.map((topic) => topicRow(visit, kind, topic))}</ul>` : emptyTopicList(kind, words, more as string)}
${pageLinks(call, total, TOPICS_PER_PAGE)}
</div>`;
}

function topicRow({ blog }: BlogVisit, kind: TopicKind, { id, name, slug, posts }: CountedTopic): Html {
  return html`<li><div><a class="name" href="${blogPath(blog, `/topics/${kind}/${id}`)}"><bdi>${name}</bdi></a>
<p class="about"><span>/${kind}/${slug}</span></p></div>
<p class="facts"><span>${counted(posts, "post")}</span></p></li>
`;
}

function emptyTopicList(kind: TopicKind, words: string, more: string): Html {
  const hint = words
    ? `No names contain “${words}”.`
    : `Add a ${kind} in the settings of a post, and it appears here.`;
  return html`<div class="empty"><h2>No ${more}</h2><p>${hint}</p></div>`;
}
