import { type CountedTopic, type TopicKind, topicsOfBlog } from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { icon } from "../layout/icons";
import { blogPath } from "../layout/menu-places";
import { pageLinks, pageNumber } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";

const TOPICS_PER_PAGE = 50;
const MAX_SEARCH_LENGTH = 100;

const TABS = [
  ["category", "Categories"],
  ["tag", "Tags"],
] as const satisfies [TopicKind, string][];

interface TopicChoice {
  kind: TopicKind;
  words: string;
  page: number;
}

export function topicChoiceIn(params: URLSearchParams): TopicChoice {
  return {
    kind: params.get("kind") === "tag" ? "tag" : "category",
    words: (params.get("search") ?? "").trim().slice(0, MAX_SEARCH_LENGTH),
    page: pageNumber(params),
  };
}

export function topicsAddress(path: string, { kind, words, page }: TopicChoice): string {
  const query = new URLSearchParams();
  if (kind === "tag") query.set("kind", kind);
  if (words) query.set("search", words);
  if (page > 1) query.set("page", String(page));
  return query.size > 0 ? `${path}?${query}` : path;
}

export function topicsMain(visit: BlogVisit, choice: TopicChoice): Html {
  const { call, blog } = visit;
  const { kind, words, page } = choice;
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
<button class="quiet">Search</button>
</form>
<div class="list-head">
<nav class="tabs" aria-label="Kind">
${TABS.map(([name, label]) => html`<a href="${topicsAddress(path, { kind: name, words: "", page: 1 })}"${name === kind && html` aria-current="page"`}>${label}</a>`)}
</nav>
<p class="count" id="count" role="status">${total === 0 ? `No ${more}` : counted(total, one as string, more)}</p>
</div>
<div id="results">
${topics.length > 0 ? html`<ul class="rows">${topics.map((topic) => topicRow(visit, kind, topic))}</ul>` : emptyTopicList(choice, more as string)}
${pageLinks(page, Math.ceil(total / TOPICS_PER_PAGE), (other) => topicsAddress(path, { ...choice, page: other }))}
</div>`;
}

function topicRow({ blog }: BlogVisit, kind: TopicKind, { id, name, slug, posts }: CountedTopic): Html {
  return html`<li><div><a class="name" href="${blogPath(blog, `/topics/${kind}/${id}`)}"><bdi>${name}</bdi></a>
<p class="about"><span>/${kind}/${slug}</span></p></div>
<p class="facts"><span>${counted(posts, "post")}</span></p></li>
`;
}

function emptyTopicList({ kind, words }: TopicChoice, more: string): Html {
  const hint = words
    ? `No names contain “${words}”.`
    : `Add a ${kind} in the settings of a post, and it appears here.`;
  return html`<div class="empty"><h2>No ${more}</h2><p>${hint}</p></div>`;
}
