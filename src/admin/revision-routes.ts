import { insertBaseUrl } from "../posts/post/mf2-properties";
import type { Post, SavedBy } from "../posts/post/post";
import { findPost } from "../posts/reading/finding-posts";
import { contentOf } from "../posts/storage/stored-posts";
import type { PostChanges } from "../posts/writing/post-input";
import { previewPost } from "../posts/writing/preparing-content";
import type { RevisionHistory, SavedAs } from "../posts/writing/revisions";
import { changesToRevision, revisionHistory } from "../posts/writing/revisions";
import { savePost } from "../posts/writing/saving";
import { type Html, html } from "../text/html";
import { isReachSwitch, SWITCH_NAMES, SWITCHES } from "./editor/post-switches";
import { revisionsHead } from "./layout/admin-styles";
import { renderedDiff, wordDiff } from "./layout/diffs";
import { parentLink, postForm } from "./layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "./layout/routing";
import { type AdminForm, type BlogVisit, blogPath, idIn } from "./layout/visit";
import { postName } from "./posts/post-states-and-rows";

export const revisionRoutes = blogRoutes({
  "GET /posts/:id/revisions": revisionsPage,
  "POST /posts/:id/revisions": withForm(restore),
});

async function restore(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, blog } = visit;
  const revision = idIn(form.get("revision"));
  // A revision never changes, so it is read outside the save transaction.
  const changes = changesToRevision(platen, ownPost(visit, id), revision);
  const request = () => ({ blog, before: ownPost(visit, id), changes });
  await savePost(platen, visit, request, (save) => save());
  return { location: blogPath(blog, `/posts/${id}`), toast: "Revision restored." };
}

function ownPost(visit: BlogVisit, id: number): Post {
  return findPost(visit.platen, visit, id, visit.blog.id);
}

const MAX_DIFFS = 50;
type Compared = [what: string, now: string, then: string];

async function revisionsPage(visit: BlogVisit, id: number): Promise<AdminPage> {
  const { call, platen, blog } = visit;
  const revision = call.url.searchParams.get("revision");
  const selectedId = revision === null ? null : idIn(revision);
  const post = ownPost(visit, id);
  const versions = revisionHistory(platen, post);
  const rows = versions.past.map((one) => revisionRow(visit, one, one.id === selectedId));
  const back = selectedId === null ? null : changesToRevision(platen, post, selectedId);
  const main = html`${parentLink(blogPath(blog, `/posts/${post.id}`), postName(post))}
<div class="page-head"><h1>Revisions</h1></div>
<p class="lead">All revisions of the last day are kept, then one per day, then one per month.</p>
${back && selectedId !== null && (await comparison(visit, post, selectedId, back))}
${versionList(visit, post, versions, rows)}`;
  return { title: "Revisions", place: post.type === "page" ? "pages" : "posts", head: revisionsHead, main };
}

async function comparison(visit: BlogVisit, post: Post, id: number, back: PostChanges): Promise<Html> {
  const { platen, blog } = visit;
  const present = contentOf(platen, post.id);
  const { title = post.title } = back;
  const others = otherChanges(post, back);
  const { source: now, html: htmlNow } = present;
  const then = back.content ?? "";
  if (title === post.title && now === then && back.contentType === present.sourceType && others === null)
    return comparisonWith(html`<p>Nothing. The post is the same as this revision.</p>`);
  const { html: htmlThen } = await previewPost(platen, visit, { blog, before: post, changes: back });
  const shown =
    htmlNow === htmlThen
      ? wordDiff(now, then)
      : renderedDiff(insertBaseUrl(htmlNow, ""), insertBaseUrl(htmlThen, ""));
  return comparisonWith(html`${title !== post.title && wordDiff(post.title, title)}
${now === then ? html`<p>The text is the same.</p>` : (shown ?? bothTexts(now, then))}
${others}
${postForm(visit, "", undefined, { revision: id })}
<p class="actions"><button class="primary">Restore</button></p></form>
<p class="hint">Restores title, text, summary, alt texts, category, tags, series, language and visibility. State, time and address stay the same. You can undo the restore on this page.</p>`);
}

function comparisonWith(content: Html): Html {
  return html`<section class="comparison" aria-labelledby="comparison">
<h2 id="comparison">Changes if you restore this revision</h2>
${content}
</section>`;
}

function otherChanges(post: Post, back: PostChanges): Html | null {
  const { altText = {}, category, tags = [] } = back;
  const { summary = post.summary, series = post.series, previewImage = post.previewImage } = back;
  const { language = post.language } = back;
  const files = [...new Set([...Object.keys(post.altText), ...Object.keys(altText)])];
  const compared: Compared[] = [
    ["Type", post.type, back.type ?? post.type],
    ["Category", post.category?.name ?? NONE, category || NONE],
    ["Summary", post.summary ?? NONE, summary ?? NONE],
    ["Series", post.series ?? NONE, series ?? NONE],
    ["Language", post.language ?? NONE, language ?? NONE],
    ["Preview picture", post.previewImage ?? FIRST, previewImage ?? FIRST],
    ["Tags", post.tags.join(", ") || NONE, tags.join(", ") || NONE],
    ...SWITCH_NAMES.flatMap((name): Compared[] =>
      isReachSwitch(name) ? [] : [[SWITCHES[name][1], yesNo(post[name]), yesNo(back[name] ?? post[name])]],
    ),
    ...files.map(
      (name): Compared => [`Alt text of ${name}`, altWords(post.altText[name]), altWords(altText[name])],
    ),
  ];
  const changed = compared.filter(([, now, then]) => now !== then);
  if (changed.length === 0) return null;
  return html`<dl class="other-changes">
${changed.slice(0, MAX_DIFFS).map(([what, now, then]) => html`<dt>${what}</dt><dd class="diff"><del>${now}</del> <ins>${then}</ins></dd>`)}
</dl>
${changed.length > MAX_DIFFS && html`<p>And ${changed.length - MAX_DIFFS} more.</p>`}`;
}

const NONE = "none";
const FIRST = "first picture";
const yesNo = (is = false) => (is ? "yes" : "no");
const altWords = (alt?: string) => (alt === "" ? "decorative" : (alt ?? NONE));

function bothTexts(now: string, then: string): Html {
  return html`<div class="texts"><div><h3 id="now">Now</h3><textarea readonly rows="12" aria-labelledby="now">
${now}</textarea></div><div><h3 id="then">After restoring</h3><textarea readonly rows="12" aria-labelledby="then">
${then}</textarea></div></div>`;
}

function versionList({ times }: BlogVisit, post: Post, versions: RevisionHistory, rows: Html[]): Html {
  if (versions.past.length === 0)
    return html`<div class="empty"><h2>No revisions yet</h2><p>Created ${times.near(post.createdAt)} ${by(versions.presentBy)}.</p><p>Each save keeps the previous version here.</p></div>`;
  return html`<ul class="rows">
<li><div class="what"><strong class="name">${postName(post)}</strong>
<p class="about"><span>Now</span><span>${SAVED_AS[versions.presentAs]} ${times.near(post.updatedAt)}</span>${by(versions.presentBy)}</p></div></li>
${rows}</ul>`;
}

type PastRevision = RevisionHistory["past"][number];

function revisionRow({ call, times }: BlogVisit, revision: PastRevision, isSelected: boolean): Html {
  const { id, title, madeAt, madeAs, madeBy } = revision;
  return html`<li><div class="what"><a class="name" href="${call.url.pathname}?revision=${id}"${isSelected && html` aria-current="true"`}>${title || "Untitled"}<span class="spoken">, ${times.full(madeAt)}</span></a>
<p class="about"><span>${SAVED_AS[madeAs]} ${times.near(madeAt)}</span>${by(madeBy)}</p></div></li>
`;
}

const SAVED_AS: Record<SavedAs, string> = {
  saved: "saved",
  published: "published",
  scheduled: "scheduled",
  draft: "unpublished",
  archived: "archived",
  shared: "share link created",
  unshared: "share link revoked",
};

function by(who: SavedBy | null): Html | null {
  return who && html`<span>by ${who.name}${who.app !== null && html`, with ${who.app}`}</span>`;
}
