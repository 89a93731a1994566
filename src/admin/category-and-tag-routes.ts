import { blogUrl } from "../blogs/blogs";
import { requireFound } from "../errors";
import { inputField } from "../http/form-field";
import { MAX_TOPIC_NAME_LENGTH } from "../posts/post/post";
import type { CountedTopic, TopicKind } from "../posts/storage/categories-and-tags";
import { topicNamed, topicOfBlog, topicsByName, topicsOfBlog } from "../posts/storage/categories-and-tags";
import { deleteTopic, mergeTopics, renameTopic } from "../posts/storage/changing-categories-and-tags";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import { settingsHead } from "./layout/admin-styles";
import { icon } from "./layout/icons";
import { pageLinks, pageNumber, parentLink, postForm, withQuery } from "./layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "./layout/routing";
import { type AdminForm, type BlogVisit, blogPath, formState } from "./layout/visit";

export const topicRoutes = blogRoutes({
  "GET /topics": topicsPage,
  "GET /topics/category/:id": topicPage,
  "GET /topics/tag/:id": topicPage,
  "POST /topics/category/:id": withForm(changeTopic, topicPage),
  "POST /topics/tag/:id": withForm(changeTopic, topicPage),
});

async function changeTopic(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, blog } = visit;
  const { kind, topic } = requireTopic(visit, id);
  const done = (toast: string) => ({ location: listPath(visit), toast: `${topic.name} ${toast}.` });
  if (form.get("do") === "delete") {
    await deleteTopic(platen, kind, topic);
    return done("deleted");
  }
  if (form.get("do") === "merge") {
    const other = topicNamed(platen, kind, blog.id, form.text("into").trim()) ?? topic;
    await mergeTopics(platen, kind, topic, other);
    return done(`merged into ${other.name}`);
  }
  const { name } = renameTopic(platen, kind, topic, form.text("name"));
  return done(`renamed to ${name}`);
}

function kindInPath({ call }: BlogVisit): TopicKind {
  return call.url.pathname.includes("/topics/tag/") ? "tag" : "category";
}

function listPath(visit: BlogVisit): string {
  return blogPath(visit.blog, kindInPath(visit) === "tag" ? "/topics?kind=tag" : "/topics");
}

function requireTopic(visit: BlogVisit, id: number): { kind: TopicKind; topic: CountedTopic } {
  const kind = kindInPath(visit);
  const topic = requireFound(topicOfBlog(visit.platen, visit.blog, kind, id), kind);
  return { kind, topic };
}

const MAX_SUGGESTIONS = 100;

function topicPage(visit: BlogVisit, id: number): AdminPage {
  const { platen, blog } = visit;
  const { kind, topic } = requireTopic(visit, id);
  const { name, slug, posts } = topic;
  const path = blogPath(blog, "/topics");
  const others = topicsByName(platen, kind, blog.id, MAX_SUGGESTIONS + 1)
    .map((other) => other.name)
    .filter((other) => other !== name)
    .slice(0, MAX_SUGGESTIONS);
  const url = `${blogUrl(platen, blog)}${kind}/${slug}`;
  const inList = withQuery(blogPath(blog, "/posts"), kind === "tag" ? { tag: name } : { category: id });
  const state = formState(visit, { name, into: "" });
  const form = (verb: string, heading: string, fields: Html, button: Html) => html`<section class="settings">
<h2>${heading}</h2>
${postForm(visit, "", `${path}/${kind}/${id}`, { do: verb })}
${fields}
<div class="actions">${button}</div>
</form>
</section>`;
  const main = html`${parentLink(listPath(visit), kind === "tag" ? "Tags" : "Categories")}
<div class="page-head"><h1><bdi>${name}</bdi></h1></div>
<p class="about"><a href="${inList}">${counted(posts, "post")}</a> <a href="${url}">${url}</a></p>
${form(
  "rename",
  "Rename",
  inputField(state, "name", "Name", {
    hint: "The address changes with the name. The old address redirects to the new one.",
    more: html`required maxlength="${MAX_TOPIC_NAME_LENGTH}" autocomplete="off"`,
  }),
  html`<button class="primary">Save</button>`,
)}
${
  others.length > 0 &&
  form(
    "merge",
    "Merge",
    html`${inputField(state, "into", "Into", {
      hint: `The posts of ${name} move to that ${kind}, the address of ${name} redirects, and ${name} is deleted.`,
      more: html`required list="others" autocomplete="off"`,
    })}
<datalist id="others">${others.map((other) => html`<option value="${other}">`)}</datalist>`,
    html`<button class="quiet">Merge</button>`,
  )
}
${form(
  "delete",
  "Delete",
  html`<p>${posts === 0 ? `No post uses this ${kind}.` : `The ${kind} will be removed from ${counted(posts, "post")}; the posts stay.`} The ${kind}'s address will redirect to the archive.</p>`,
  html`<button class="danger">Delete<span class="spoken"> ${name}</span></button>`,
)}`;
  return { title: name, place: "topics", head: settingsHead, main };
}

const TOPICS_PER_PAGE = 50;
const MAX_SEARCH_LENGTH = 100;

function topicsPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  const { searchParams } = call.url;
  const kind = searchParams.get("kind") === "tag" ? "tag" : "category";
  const words = (searchParams.get("search") ?? "").trim().slice(0, MAX_SEARCH_LENGTH);
  const page = pageNumber(searchParams);
  const path = blogPath(blog, "/topics");
  const { topics, total } = topicsOfBlog(platen, blog, kind, { words, page, limit: TOPICS_PER_PAGE });
  const [one, more] = kind === "tag" ? ["tag", "tags"] : ["category", "categories"];
  const main = html`<div class="page-head"><h1>Topics</h1></div>
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
  return { title: "Topics", place: "topics", main, scripts: ["post-list"] };
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
