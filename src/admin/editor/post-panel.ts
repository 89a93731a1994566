import { blogUrl, postUrl, shareUrl } from "../../blogs/blogs";
import { instantOf } from "../../blogs/time-zone";
import type { FieldErrors } from "../../errors";
import { fediverseSettings } from "../../fediverse/blog-actors";
import { formField, inputField, NO_CORRECTIONS, selectField, textField } from "../../http/form-field";
import { issueOfPost, newsletterState } from "../../newsletter/issue-scheduling-and-log";
import { newsletterOf } from "../../newsletter/newsletter-settings";
import { readCookie } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { isLive, type Post, type WholePost } from "../../posts/post/post";
import { newestPosts, seriesNames } from "../../posts/reading/related-posts-and-series";
import { tagNamesOf, topicsByName } from "../../posts/storage/categories-and-tags";
import { oldSlugsOf } from "../../posts/storage/slugs-and-permanent-ids";
import { copiesByDefault, SERVICE_LABELS, SERVICE_NAMES, sentCopies } from "../../syndication/stored-copies";
import { capitalize } from "../../text/clean-text";
import { type Html, type HtmlValue, html } from "../../text/html";
import { isLanguage } from "../../text/language-tags";
import { languageList, languageName, localTime } from "../layout/times-and-languages";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName, stateOf, stateWords } from "../posts/post-states-and-rows";
import { linkPreview } from "./link-preview";
import { type PostFields, TEXT_FIELDS, type TextField } from "./post-form";
import { defaultState, isReachSwitch, SWITCH_NAMES, SWITCHES, type SwitchName } from "./post-switches";

const MAX_CHOICES = 200;
const MAX_SUGGESTED_POSTS = 50;

export interface PanelState {
  post: WholePost | null;
  fields: PostFields;
  errors?: FieldErrors;
  isAtShareLink?: boolean;
}

export function postPanel(visit: BlogVisit, state: PanelState): Html {
  const { post, fields, errors = {}, isAtShareLink } = state;
  const isOpen =
    isAtShareLink || readCookie(visit.call, "panel") === "open" || PANEL_FIELDS.some((name) => errors[name]);
  return html`<details class="post-panel" id="panel"${isOpen && html` open`}>
<summary>${capitalize(fields.type)} settings</summary>
<div id="settings">
${timeGroup(visit, state)}
${addressGroup(visit, state)}
${summaryGroup(visit, state)}
${languageGroup(visit, state)}
${panelGroup("Visibility", switches(switchesInGroup("readers", fields)))}
${panelGroup("Share link", shareLink(visit, state))}
${panelGroup("Below the post", switches(switchesInGroup("below", fields)))}
${fields.type === "post" && [newsletterGroup, fediverseGroup, copiesGroup].map((group) => group(visit, state))}
${panelGroup("Format", formatField(fields))}
${post && otherActions(blogPath(visit.blog, `/posts/${post.id}/revisions`))}
</div>
</details>`;
}

function timeGroup({ platen, blog, times }: BlogVisit, { post, fields, errors = {} }: PanelState): Html {
  const now = platen.now();
  const state = post ? stateOf(post, now) : "draft";
  const [, clock] = localTime(now, blog.timeZone).split("T");
  const { publishedAt } = post ?? {};
  const fullTime =
    post?.status === "published" && publishedAt && !times.isFull(publishedAt) && times.full(publishedAt);
  return panelGroup(
    "When",
    html`${post && html`<p class="now-so">${stateWords(post, now, times)} ${fullTime && html`<span>${fullTime}</span>`}</p>`}
${formField(
  {
    name: "publish_at",
    label: "Publish at",
    errors: errors.publish_at,
    hint: `Time zone ${blog.timeZone}, now ${clock}.${state === "draft" ? " Leave empty to publish at once." : ""}`,
  },
  (
    attributes,
  ) => html`<div class="beside"><input type="datetime-local" ${attributes}${focusAt("publish_at", errors)} value="${fields.publishedAt}" data-zone="${blog.timeZone}">
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

function addressGroup({ platen, blog }: BlogVisit, state: PanelState): Html {
  const { post, fields } = state;
  const { slug, type } = fields;
  const categories = topicsByName(platen, "category", blog.id, MAX_CHOICES).map(({ name }) => name);
  return panelGroup(
    "Address and topics",
    html`${textInput(state, "slug", html`${NO_CORRECTIONS} placeholder="made from the title"`)}
<p class="full-address" data-address="${post?.slug}">${blogUrl(platen, blog)}<strong>${slug || "…"}</strong></p>
${post && redirectHint(platen, post)}
${topicInput(state, "category", categories)}
${topicInput(state, "tags", tagNamesOf(platen, blog.id, MAX_CHOICES), "Separate with commas.")}
${topicInput(state, "series", seriesNames(platen, blog.id, MAX_CHOICES), "Posts of a series link to each other.")}
${selectField({ values: { type } }, "type", "Type", { post: "Post", page: "Page" }, { hint: "Pages aren't in lists or feeds. Add links to them in posts or the navigation." })}`,
  );
}

function topicInput(state: PanelState, field: TextField, names: string[], hint?: string): Html {
  return html`${textInput(state, field, html`list="${field}-choices" autocomplete="off"`, hint)}
<datalist id="${field}-choices">${names.map((name) => html`<option value="${name}">`)}</datalist>`;
}

function textInput({ fields, errors = {} }: PanelState, field: TextField, attributes: Html, hint?: string) {
  const [name, label] = TEXT_FIELDS[field];
  const form = { values: { [name]: fields[field] }, errors };
  return inputField(form, name, label, {
    hint,
    more: html`type="text"${focusAt(name, errors)} ${attributes}`,
  });
}

function redirectHint(platen: Platen, post: Post): Html {
  const former = oldSlugsOf(platen, post);
  return html`${isLive(post, platen.now()) && html`<p class="hint"><a class="way" href="${postUrl(platen, post.blog, post)}">View on site</a></p>`}
${
  former.length > 0
    ? html`<p class="hint">These addresses redirect here:</p>
<ul class="former">${former.map((slug) => html`<li>${postUrl(platen, post.blog, { slug })}</li>`)}</ul>`
    : html`<p class="hint">If you change the address, the old one redirects to the new one.</p>`
}`;
}

function summaryGroup(visit: BlogVisit, { post, fields, errors = {} }: PanelState): Html {
  const summary = textField({ values: { summary: fields.summary }, errors }, "summary", "Summary", {
    isOptional: true,
    hint: "Without a summary, the beginning of the text is shown.",
    more: html`rows="3"${focusAt("summary", errors)}`,
  });
  return panelGroup("Summary and link preview", html`${post && linkPreview(visit, post, fields)}${summary}`);
}

function languageGroup(visit: BlogVisit, state: PanelState): Html {
  const { fields, errors = {} } = state;
  const { language, translationOf } = fields;
  const isOpen = [language, translationOf, errors.language, errors.translation_of].some(Boolean);
  const blogLanguage = languageName(visit.blog.language);
  const translationHint = "Address of the same post in another language. The two posts link to each other.";
  return panelGroup(
    "Language and translations",
    html`<details${isOpen && html` open`}><summary>${isLanguage(language) ? languageName(language) : `${blogLanguage}, like the blog`}</summary>
${textInput(state, "language", html`list="languages" ${NO_CORRECTIONS}`, `A tag like de or pt-BR. Leave empty for ${blogLanguage}.`)}
${languageList()}
${textInput(state, "translationOf", html`list="translations" ${NO_CORRECTIONS}`, translationHint)}
<datalist id="translations">${translationChoices(visit, state.post)}</datalist>
</details>`,
  );
}

function translationChoices({ platen, blog, blogs }: BlogVisit, post: Post | null): Html[] {
  const others = blogs.filter(({ id }) => id !== blog.id);
  return [blog, ...others].flatMap((one) =>
    newestPosts(platen, one, MAX_SUGGESTED_POSTS)
      .filter(({ id }) => id !== post?.id)
      .map((found) => {
        const address = one.id === blog.id ? found.slug : postUrl(platen, one, found);
        return html`<option value="${address}">${postName(found)}</option>`;
      }),
  );
}

function shareLink({ platen }: BlogVisit, { post, isAtShareLink }: PanelState): Html {
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
function newsletterGroup(visit: BlogVisit, panel: PanelState): Html | null {
  const { platen, blog } = visit;
  const { post, fields } = panel;
  if (!newsletterOf(blog)) return null;
  const state = post ? newsletterState(issueOfPost(platen, post.id)) : "none";
  const path = post && blogPath(blog, `/reach/posts/${post.id}`);
  const isOn = fields.switches.includes("newsletter");
  return panelGroup(
    "Newsletter",
    html`${state === "sent" ? html`<p class="hint">Sent. A post is never sent twice.</p>${isOn && html`<input type="hidden" name="switch" value="newsletter">`}` : switches(defaultSwitches(visit, panel, "newsletter"))}
${path && html`<p class="hint"><a class="way" href="${path}">Subject and preview</a></p>`}`,
  );
}

function copiesGroup(visit: BlogVisit, panel: PanelState): Html | null {
  const { platen, blog } = visit;
  const { post, fields } = panel;
  const connected: string[] = SERVICE_NAMES.filter((name) => copiesByDefault(blog, name) !== null);
  if (connected.length === 0) return null;
  const sent = post ? sentCopies(platen, post.id) : [];
  const isSent = (name: string) => sent.some(({ service }) => service === name);
  const all = defaultSwitches(visit, panel, "copies").filter(({ name }) => connected.includes(name));
  const kept = fields.switches.filter((name) => connected.includes(name) && isSent(name));
  return panelGroup(
    "Copies",
    html`${sent.map(({ service, url }) => html`<p class="hint"><a class="way" href="${url}">Copied to ${SERVICE_LABELS[service]}</a></p>`)}
${kept.map((name) => html`<input type="hidden" name="switch" value="${name}">`)}
${switches(all.filter(({ name }) => !isSent(name)))}`,
  );
}

function fediverseGroup({ blog }: BlogVisit, { fields }: PanelState): Html | null {
  if (!fediverseSettings(blog)) return null;
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
  { platen, blog }: BlogVisit,
  { post, fields }: PanelState,
  group: "newsletter" | "copies",
): Switch[] {
  const date = instantOf(fields.publishedAt, blog.timeZone);
  return switchesInGroup(group, fields).map((one) => {
    const state = defaultState(platen, blog, post, date, one.name);
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
