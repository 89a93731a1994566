import { postUrl } from "../../blogs/blogs";
import { instantOf } from "../../blogs/time-zone";
import type { FieldErrors } from "../../errors";
import { formError } from "../../http/form-field";
import { csrfField } from "../../owner/csrf";
import { OFFERED_LANGUAGES } from "../../posts/content/highlighting";
import { type Html, html } from "../../text/html";
import type { AdminPage } from "../layout/admin-layout";
import { editorHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { type BlogVisit, blogPath } from "../layout/visit";
import { type PostState, postName, stateOf, stateWords, unsavedWords } from "../posts/post-states-and-rows";
import { captionsIn, pictureFields } from "./alt-text-and-caption-fields";
import { fileJson, filesIn } from "./editor-files";
import { versionOf } from "./post-form";
import { firstFieldWithError, type PanelState, POST_FIELDS, postPanel } from "./post-panel";

export interface EditorState extends PanelState {
  /** Version of the post when the form was loaded; if missing, the current version. */
  version?: string;
  newPost?: string;
  /** Ids of the autosave requests that stored this form's text, separated by spaces. */
  kept?: string;
  seen?: string;
  notice?: Html;
  /** True if the form shows text that the user sent and the server did not save. */
  isRejected?: boolean;
}

export function editorPage(
  visit: BlogVisit,
  state: EditorState,
  response: Pick<AdminPage, "status" | "headers" | "toast"> = {},
): AdminPage {
  const isMarkdown = state.fields.contentType === "markdown";
  return {
    title: state.post ? postName(state.post) : `New ${state.fields.type}`,
    main: editorMain(visit, state),
    head: editorHead,
    scripts: [isMarkdown ? "markdown-editor" : "post-editor", "post-panel", "autosave"],
    later: isMarkdown ? [] : ["markdown-reader"],
    bodyClass: isMarkdown ? "is-writing in-markdown" : "is-writing",
    ...response,
  };
}

function editorMain(visit: BlogVisit, editorState: EditorState): Html {
  const { post, fields, errors = {}, newPost, kept = "" } = editorState;
  const { blog, platen, token } = visit;
  const now = platen.now();
  const state = post ? stateOf(post, now) : "draft";
  const files = filesIn(platen, blog, fields.content).map((blob) => fileJson(platen, blob));
  const captions = files.length > 0 ? captionsIn(fields.content) : new Map<string, string>();
  const version = editorState.version ?? (post && versionOf(post));
  const altText = Object.fromEntries([...fields.altText].filter(([, alt]) => alt !== null));
  const isMarkdown = fields.contentType === "markdown";
  const autofocusField = fieldToFocus(editorState);
  const isInFuture = (instantOf(fields.publishedAt, blog.timeZone) ?? now) > now;
  const list = fields.type === "page" ? "/pages" : "/posts";
  return html`<form id="post" class="writing" method="post" enctype="multipart/form-data"
 data-files="${JSON.stringify(files)}" data-alt-text="${JSON.stringify(altText)}" data-uploads="${blogPath(blog, "/uploads")}" data-links="${blogPath(blog, "/link-details")}"
 data-keep-at="${blogPath(blog, `/unsaved/${post?.id ?? "new"}`)}" data-kept-as="${visit.account.id}/${post?.id ?? newPost}"${editorState.isRejected && html` data-refused`}>
${csrfField(token)}
<input type="hidden" name="version" value="${version}">
<input type="hidden" name="id" value="${post?.id}">
<input type="hidden" name="new_post" value="${!post && newPost}">
<input type="hidden" name="kept" value="${kept}">
<input type="hidden" name="seen" value="${editorState.seen}">
<div class="writing-head">
<p class="where"><a class="back" href="${blogPath(blog, list)}">${fields.type === "page" ? "Pages" : "Posts"}</a>
${post ? stateWords(post, now, visit.times) : html`<span class="state draft">New</span>`}
<span class="state draft" data-unsaved${kept === "" && html` hidden`}>${post ? unsavedWords(state) : "Unsaved draft"}</span>
<span class="saved" data-saved role="status"></span></p>
<button type="button" class="asks" data-missing-alt hidden></button>
<div class="ways">
${buttons(state, isInFuture)}
<button type="button" class="icon-button post-menu-button" popovertarget="post-menu" aria-label="More">${icon("dots")}</button>
<div class="post-menu" id="post-menu" popover>
<button class="quiet preview" formaction="${blogPath(blog, "/preview")}" formtarget="preview">Preview</button>
${post && state === "live" && html`<a class="button quiet" href="${postUrl(platen, blog, post)}">View on site</a>`}
<button class="quiet" form="discard" data-unsaved${kept === "" && html` hidden`}>${post ? "Discard changes" : "Discard"}</button>
<a class="icon-button" href="#settings" data-settings aria-label="Settings">${icon("settings")}<span>Settings</span></a>
</div>
</div>
</div>
${editorState.notice}
${otherErrors(errors)}
<h1 class="spoken">${post ? "Edit" : "Write"}</h1>
<div class="title-field">
<label for="title">Title</label>
<textarea id="title" name="title" rows="1" autocomplete="off" placeholder="Title"${errors.title && html` aria-invalid="true" aria-describedby="title-fault"`}${autofocusField === "title" && html` autofocus`}>
${fields.title}</textarea>
${fieldError("Title", "title", errors.title)}
</div>
<div class="content-field${isMarkdown && " is-markdown"}">
<label for="content">Content</label>
${fieldError("Content", "content", errors.content)}
<textarea id="content" name="content" rows="18" data-editor="${isMarkdown ? "markdown" : "rich"}"${errors.content && html` aria-invalid="true" aria-describedby="content-fault"`}${autofocusField === "content" && html` autofocus`}>
${fields.content}</textarea>
<p class="hint" data-without-scripts>${isMarkdown ? "In Markdown." : "In HTML."}</p>
</div>
${pictureFields(files, fields.altText, captions)}
${postPanel(visit, editorState)}
<datalist id="code-languages">${OFFERED_LANGUAGES.map((name) => html`<option value="${name}">`)}</datalist>
</form>
<form id="discard" method="post" enctype="multipart/form-data">
${csrfField(token)}
<input type="hidden" name="action" value="discard">
<input type="hidden" name="new_post" value="${!post && newPost}">
<input type="hidden" name="kept" value="${kept}">
</form>`;
}

function fieldToFocus({ post, fields, errors = {} }: EditorState): string | undefined {
  const firstError = firstFieldWithError(errors);
  if (firstError || post) return firstError;
  return fields.title === "" ? "title" : "content";
}

/** The order matters: Enter in a field presses the first button. */
function buttons(state: PostState, isInFuture: boolean): Html {
  switch (state) {
    case "live":
      return html`<button class="primary" name="action" value="save">Publish changes</button>`;
    case "scheduled":
      return html`<button class="primary" name="action" value="schedule">Save</button>`;
    case "archived":
      return html`<button class="primary" name="action" value="save">Save</button>`;
    case "draft":
      return html`<button class="quiet" name="action" value="save">Save draft</button>
<button class="primary" name="action" value="publish">${isInFuture ? "Schedule" : "Publish"}</button>`;
  }
}

function otherErrors(errors: FieldErrors): Html[] {
  const others = Object.entries(errors).filter(([name]) => !POST_FIELDS.includes(name));
  return others.map(([name, messages]) => formError(`${name} ${messages.join(" ")}.`));
}

function fieldError(label: string, name: string, messages?: string[]): Html | undefined {
  return (
    messages && html`<p class="wrong" id="${name}-fault" role="alert">${label} ${messages.join(" ")}.</p>`
  );
}
