import type { Blog } from "../../../blogs/blogs";
import { shareUrl } from "../../../blogs/permalinks";
import { instantOf } from "../../../blogs/time-zone";
import type { FieldErrors } from "../../../errors";
import { fediverseSettings } from "../../../fediverse/blog-actors";
import { selectField } from "../../../http/forms/form-field";
import { issueOfPost, newsletterState } from "../../../newsletter/issue-scheduling";
import { newsletterOf } from "../../../newsletter/newsletter-settings";
import { readCookie } from "../../../owner/session-cookie";
import type { Platen } from "../../../platen";
import type { Post } from "../../../posts/post/post";
import {
  copiesByDefault,
  SERVICE_LABELS,
  SERVICE_NAMES,
  sentCopies,
} from "../../../syndication/stored-copies";
import { capitalize } from "../../../text/clean-text";
import { type Html, html } from "../../../text/html";
import { icon } from "../../layout/icons";
import { type BlogVisit, blogPath } from "../../layout/visit";
import { defaultState } from "../form/default-channels";
import { isReachSwitch, type PostFields, SWITCH_NAMES, SWITCHES, type SwitchName } from "../form/post-fields";
import { addressGroup } from "./address-group";
import { languageGroup } from "./language-group";
import { linkGroup } from "./link-preview-group";
import { PANEL_FIELDS, panelGroup } from "./panel-group";
import { timeGroup } from "./time-group";

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
