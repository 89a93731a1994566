import { type Blog, blogsOf } from "../../blogs/blogs";
import { blogUrl, postUrl, shareUrl } from "../../blogs/permalinks";
import { instantOf } from "../../blogs/time-zone";
import type { FieldErrors } from "../../errors";
import { fediverseSettings } from "../../fediverse/blog-actors";
import { formField, inputField, NO_CORRECTIONS, selectField, textField } from "../../http/form-field";
import { issueOfPost, newsletterState } from "../../newsletter/issues";
import { newsletterOf } from "../../newsletter/newsletter-settings";
import { readCookie } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { isLive, type Post } from "../../posts/post/post";
import { newestPosts, seriesNames } from "../../posts/reading/related-posts-and-series";
import { oldSlugsOf } from "../../posts/storage/slugs-and-permanent-ids";
import { tagNamesOf, topicsByName } from "../../posts/storage/topics";
import { copiesByDefault, SERVICE_LABELS, SERVICE_NAMES, sentCopies } from "../../syndication/stored-copies";
import { capitalize } from "../../text/clean-text";
import { type Html, type HtmlValue, html } from "../../text/html";
import { isLanguage } from "../../text/language-tags";
import { icon } from "../layout/icons";
import { languageList, languageName, localTime, type Times, timesFor } from "../layout/times-and-languages";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName, stateOf, stateWords } from "../posts/post-states-and-rows";
import { linkPreview } from "./link-preview";
import type { PostFields } from "./post-form";
import { defaultState, isReachSwitch, SWITCH_NAMES, SWITCHES, type SwitchName } from "./post-switches";

/** Without scripts, following the link opens the panel. */
export function panelLink(): Html {
  return html`<a class="icon-button" href="#settings" data-settings aria-label="Settings">${icon("settings")}<span>Settings</span></a>`;
}

export function postPanel(
  visitor: BlogVisit,
  post: Post | null,
  fields: PostFields,
  errors: FieldErrors,
  isAtShareLink = false,
): Html {
  const { call } = visitor;
  const isOpen =
    isAtShareLink || readCookie(call, "panel") === "open" || PANEL_FIELDS.some((name) => errors[name]);
  return html`<details class="post-panel" id="panel"${isOpen && html` open`}>
<summary>${capitalize(fields.type)} settings</summary>
<div id="settings">
${timeGroup(visitor, post, fields.publishedAt, errors)}
${addressGroup(visitor, post, fields, errors)}
${linkGroup(visitor, post, fields, errors)}
${languageGroup(visitor, post, fields, errors)}
${panelGroup("Visibility", switches(switchesInGroup("readers", fields)))}
${panelGroup("Share link", shareLink(call.platen, post, isAtShareLink))}
${panelGroup("Below the post", switches(switchesInGroup("below", fields)))}
${newsletterGroup(visitor, post, fields)}
${fediverseGroup(visitor.blog, fields)}
${copiesGroup(visitor, post, fields)}
${panelGroup("Format", formatField(fields))}
${post && otherActions(blogPath(visitor.blog, `/posts/${post.id}/revisions`))}
</div>
</details>`;
}

function shareLink(platen: Platen, post: Post | null, isAtShareLink: boolean): Html {
  const focus = isAtShareLink && html` autofocus`;
  if (!post)
    return html`<p class="hint">Save the text first. Then you can share a link to it, even if it is a draft.</p>`;
  if (post.shareId === null)
    return html`<p class="hint">Anyone with the link can read the last saved version, even of a draft.</p>
<p class="actions"><button class="quiet" name="action" value="share" formnovalidate${focus}>Create share link</button></p>`;
  return html`<div class="field"><label for="share-address">Share link</label>
<div class="beside"><textarea readonly rows="2" id="share-address"${focus} aria-describedby="share-link-hint" spellcheck="false">
${shareUrl(platen, post.shareId)}</textarea>
<button type="button" class="quiet" data-copy="share-address" data-with-scripts>Copy</button></div>
<p class="hint" id="share-link-hint">Shows the last saved version, even of a draft.</p></div>
<p class="actions"><button class="quiet" name="action" value="revoke" formnovalidate>Revoke<span class="spoken"> the share link</span></button></p>`;
}

function formatField({ contentType }: PostFields): Html {
  const form = { values: { content_type: contentType } };
  const formats = { html: "Rich text", markdown: "Markdown" };
  const hint = "Changes the format only. The text is not converted.";
  return html`${selectField(form, "content_type", "Text format", formats, { hint })}${
    contentType === "markdown" &&
    html`<p class="actions"><button class="quiet" name="action" value="continue" formnovalidate>Continue in the editor</button></p>
<p class="hint">Converts this Markdown to rich text. Nothing is saved yet.</p>`
  }`;
}

/** After sending, a hidden field keeps the post's newsletter switch as it was. */
function newsletterGroup(visit: BlogVisit, post: Post | null, fields: PostFields): Html | null {
  const { call, blog } = visit;
  if (!newsletterOf(blog) || fields.type === "page") return null;
  const state = post ? newsletterState(issueOfPost(call.platen, post.id)) : "none";
  const path = post && blogPath(blog, `/reach/posts/${post.id}`);
  const isOn = fields.switches.includes("newsletter");
  return panelGroup(
    "Newsletter",
    html`${state === "sent" ? html`<p class="hint">Sent. A post is never sent twice.</p>${isOn && html`<input type="hidden" name="switch" value="newsletter">`}` : switches(defaultSwitches(visit, post, fields, "newsletter"))}
${path && html`<p class="hint"><a class="way" href="${path}">Subject and preview</a></p>`}`,
  );
}

function copiesGroup(visit: BlogVisit, post: Post | null, fields: PostFields): Html | null {
  const { call, blog } = visit;
  const connected = SERVICE_NAMES.filter((name) => copiesByDefault(blog, name) !== null);
  if (connected.length === 0 || fields.type === "page") return null;
  const sent = post ? sentCopies(call.platen, post.id) : [];
  const isSent = (name: string) => sent.some(({ service }) => service === name);
  const open = defaultSwitches(visit, post, fields, "copies").filter(
    ({ name }) => connected.some((one) => one === name) && !isSent(name),
  );
  const kept = connected.filter((name) => isSent(name) && fields.switches.includes(name));
  return panelGroup(
    "Copies",
    html`${sent.map(({ service, url }) => html`<p class="hint"><a class="way" href="${url}">Copied to ${SERVICE_LABELS[service]}</a></p>`)}
${kept.map((name) => html`<input type="hidden" name="switch" value="${name}">`)}
${switches(open)}`,
  );
}

function fediverseGroup(blog: Blog, fields: PostFields): Html | null {
  if (!fediverseSettings(blog) || fields.type === "page") return null;
  return panelGroup("Fediverse", switches(switchesInGroup("fediverse", fields)));
}

function switchesInGroup(group: (typeof SWITCHES)[SwitchName][0], fields: PostFields): Switch[] {
  return SWITCH_NAMES.filter((name) => SWITCHES[name][0] === group).map((name) => {
    const [, label, description] = SWITCHES[name];
    return { name, label, description, isOn: fields.switches.includes(name) };
  });
}

const OLD = "Not sent by default, because the post is dated more than 7 days ago.";
const PUBLISHED = "Not sent by default, because the post is already published.";

/** The switch is off if the post is not sent by default. The browser repeats this when the date changes. */
function defaultSwitches(
  { call, blog }: BlogVisit,
  post: Post | null,
  fields: PostFields,
  group: "newsletter" | "copies",
): Switch[] {
  const date = instantOf(fields.publishedAt, blog.timeZone);
  return switchesInGroup(group, fields).map((one) => {
    const state = defaultState(call.platen, blog, post, date, one.name);
    const isOverride = fields.overrides.some((name) => name === one.name);
    const isOn = one.isOn || isOverride;
    if (state === null) return { ...one, isOn };
    if (state === "sent") return { ...one, isOn, otherDescription: OLD };
    const off = { ...one, isOn: isOverride, field: "override" };
    if (state === "published") return { ...off, description: PUBLISHED };
    return { ...off, description: OLD, otherDescription: one.description };
  });
}

function otherActions(revisions: string): Html {
  return panelGroup(
    "Actions",
    html`<p class="actions">
<button class="quiet" name="action" value="duplicate">Duplicate</button>
<a class="button quiet" href="${revisions}">Revisions</a>
<button class="danger" name="action" value="delete" formnovalidate>Delete</button>
</p>
<p class="hint">A duplicate is a draft with the same text and pictures. Deleted posts can be restored for 30 days.</p>`,
  );
}

interface Switch {
  name: string;
  label: string;
  description: string;
  isOn: boolean;
  field?: string;
  /** Description when the date becomes too old, or no longer is; undefined if the date does not matter. */
  otherDescription?: string;
}

function switches(all: Switch[]): Html[] {
  return all.map(
    ({ name, label, description, isOn, field = "switch", otherDescription }) =>
      html`<div class="switch"><input type="checkbox" id="switch-${name}" name="${field}" value="${name}"${isOn && html` checked`} aria-describedby="switch-${name}-does"${otherDescription !== undefined && html` data-other-description="${otherDescription}"`}>${isReachSwitch(name) && html`<input type="hidden" name="offered" value="${name}"${field === "override" && html` disabled`}>`}
<label for="switch-${name}">${label}</label><p class="hint" id="switch-${name}-does">${description}</p></div>`,
  );
}

function timeGroup(
  { call, blog }: BlogVisit,
  post: Post | null,
  publishAt: string,
  errors: FieldErrors,
): Html {
  const now = call.platen.now();
  const times = timesFor(blog, now);
  const state = post ? stateOf(post, now) : "draft";
  const [, clock] = localTime(now, blog.timeZone).split("T");
  return panelGroup(
    "When",
    html`${post && html`<p class="now-so">${stateWords(post, now, times)} ${timeOf(post, times)}</p>`}
${formField(
  {
    name: "publish_at",
    label: "Publish at",
    errors: errors.publish_at,
    hint: `Time zone ${blog.timeZone}, now ${clock}.${state === "draft" ? " Leave empty to publish at once." : ""}`,
  },
  (
    attributes,
  ) => html`<div class="beside"><input type="datetime-local" ${attributes}${focusAt("publish_at", errors)} value="${publishAt}" data-zone="${blog.timeZone}">
<button type="button" class="quiet" data-now data-with-scripts>Now</button></div>`,
)}
<p class="said" data-time-said role="status"></p>
<p class="actions">
${state === "draft" && html`<button class="quiet" name="action" value="schedule">Schedule</button>`}
${state === "scheduled" && html`<button class="quiet" name="action" value="publish-now">Publish now</button>`}
${state === "archived" && html`<button class="quiet" name="action" value="publish">Publish</button>`}
${(state === "live" || state === "scheduled") && html`<button class="quiet" name="action" value="unpublish">Unpublish</button>`}
${state === "live" && html`<button class="quiet" name="action" value="archive">Archive</button>`}
</p>
${state === "live" && html`<p class="hint">Unpublish and Archive both remove this from the site. Unpublish also makes it a draft.</p>`}`,
  );
}

function timeOf({ status, publishedAt }: Post, times: Times): Html | null {
  if (status !== "published" || !publishedAt || times.isFull(publishedAt)) return null;
  return html`<span>${times.full(publishedAt)}</span>`;
}

const MAX_CHOICES = 200;

function addressGroup(
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

const MAX_SUGGESTED = 50;

function linkGroup(visit: BlogVisit, post: Post | null, fields: PostFields, errors: FieldErrors): Html {
  const summary = textField({ values: { summary: fields.summary }, errors }, "summary", "Summary", {
    isOptional: true,
    hint: "Without a summary, the beginning of the text is shown.",
    more: html`rows="3"${focusAt("summary", errors)}`,
  });
  return panelGroup("Summary and link preview", html`${post && linkPreview(visit, post, fields)}${summary}`);
}

function languageGroup(
  visit: BlogVisit,
  post: Post | null,
  { language, translationOf }: PostFields,
  errors: FieldErrors,
): Html {
  const isOpen = [language, translationOf, errors.language, errors.translation_of].some(Boolean);
  const { blog } = visit;
  const form = { values: { language, translation_of: translationOf }, errors };
  const blogLanguage = languageName(blog.language);
  return panelGroup(
    "Language and translations",
    html`<details${isOpen && html` open`}><summary>${isLanguage(language) ? languageName(language) : `${blogLanguage}, like the blog`}</summary>
${inputField(form, "language", "Language", {
  hint: `A tag like de or pt-BR. Leave empty for ${blogLanguage}.`,
  more: html`type="text"${focusAt("language", errors)} list="languages" ${NO_CORRECTIONS}`,
})}
${languageList()}
${inputField(form, "translation_of", "Translation of", {
  hint: "Address of the same post in another language. The two posts link to each other.",
  more: html`type="text"${focusAt("translation_of", errors)} list="translations" ${NO_CORRECTIONS}`,
})}
<datalist id="translations">${suggestions(visit, post)}</datalist>
</details>`,
  );
}

function suggestions({ call, blog, account }: BlogVisit, post: Post | null): Html[] {
  const { platen } = call;
  const others = blogsOf(platen, account).filter(({ id }) => id !== blog.id);
  return [blog, ...others].flatMap((one) =>
    newestPosts(platen, one, MAX_SUGGESTED)
      .filter(({ id }) => id !== post?.id)
      .map((found) => {
        const address = one.id === blog.id ? found.slug : postUrl(platen, one, found);
        return html`<option value="${address}">${postName(found)}</option>`;
      }),
  );
}

function panelGroup(title: string, content: HtmlValue): Html {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return html`<section class="panel-group" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** In page order, so that `firstFieldWithError` finds the topmost field. */
const PANEL_FIELDS = [
  "publish_at",
  "slug",
  "category",
  "tags",
  "series",
  "summary",
  "language",
  "translation_of",
];
export const POST_FIELDS = ["title", "content", ...PANEL_FIELDS];

export function firstFieldWithError(errors: FieldErrors): string | undefined {
  return POST_FIELDS.find((name) => errors[name]);
}

/** Focuses the first field with an error, because on phones the panel is far below. */
function focusAt(name: string, errors: FieldErrors): Html | false {
  return name === firstFieldWithError(errors) && html` autofocus`;
}
