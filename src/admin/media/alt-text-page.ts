import { sgidOf } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import { mediaPath, srcset } from "../../media/files/media-urls";
import { csrfField } from "../../owner/csrf";
import {
  type AltTextCursor,
  MAX_MISSING_COUNTED,
  type MissingAltText,
  missingAltTexts,
} from "../../posts/library/library-list";
import { nearbySentences } from "../../posts/library/nearby-sentences";
import { findPost } from "../../posts/reading/finding-posts";
import { contentOf } from "../../posts/storage/stored-posts";
import { type Html, html, raw } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { parentLink } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { stateWords } from "../words/post-state";
import { timesFor } from "../words/times";
import { idIn } from "./library-page";

const SIZES = "(min-width: 48rem) 40rem, 100vw";

/** A position in the list. "?after=7-12" follows a picture; "?before=7" starts with older files. */
export function lookingFromIn(params: URLSearchParams): AltTextCursor {
  const [, blobId = null, attachmentId = null] =
    /^(\d{1,15})-(\d{1,15})$/.exec(params.get("after") ?? "") ?? [];
  if (blobId !== null) return { after: { blobId: Number(blobId), attachmentId: Number(attachmentId) } };
  return { before: idIn(params.get("before")) ?? undefined };
}

/**
 * Shows a picture without alt text and the text around it.
 * @returns a string to redirect to if only older files lack alt text
 */
export function altTextMain(visit: BlogVisit, from: AltTextCursor): Html | string {
  const { call, blog } = visit;
  const path = blogPath(blog, "/media/alt-text");
  const { missing, older } = missingAltTexts(call.platen, blog.id, from);
  const [first] = missing;
  if (!first) return older === null ? nothingLeft(visit, from) : `${path}?before=${older}`;
  const file = blobWithId(call.platen, first.blobId) as StoredBlob;
  const post = findPost(call.platen, visit, first.postId, blog.id);
  const now = call.platen.now();
  const { before, after } = nearbySentences(
    contentOf(call.platen, post.id).html,
    sgidOf(call.platen, file),
    blog.language,
  );
  const next = `${path}?after=${queuePosition(first)}`;
  return html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>Describe pictures</h1>
<p class="count" role="status">${picturesLeft(missing.length, older !== null)}</p></div>
<div class="describing">
<p class="about"><a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}</a>${stateWords(post, now, timesFor(blog, now))}</p>
${before && html`<p class="beside">${before}</p>`}
<img src="${mediaPath(file)}"${sourcesOf(file)}${file.width && file.height && html` width="${file.width}" height="${file.height}"`} alt="The picture to describe: ${file.filename}">
${after && html`<p class="beside">${after}</p>`}
<form method="post" action="${blogPath(blog, `/media/${file.id}/alt-text`)}">
${csrfField(visit.token)}
<input type="hidden" name="post" value="${post.id}">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="alt">Alt text</label>
<input type="text" id="alt" name="alt" required autofocus autocomplete="off" maxlength="10000" aria-describedby="help"></div>
<p class="help" id="help">Describe it for someone who can’t see it. Enter saves and shows the next picture.</p>
<div class="actions">
<button class="primary">Save</button>
<button class="quiet" name="decorative" value="1" formnovalidate>Decorative</button>
<a class="button quiet" href="${next}">Skip</a>
</div>
</form>
</div>`;
}

function queuePosition({ blobId, attachmentId }: MissingAltText): string {
  return `${blobId}-${attachmentId}`;
}

function sourcesOf(file: StoredBlob): Html | null {
  const sources = srcset(file);
  return sources ? html` srcset="${sources}" sizes="${raw(SIZES)}"` : null;
}

function picturesLeft(count: number, areOlderOpen: boolean): string {
  if (count > MAX_MISSING_COUNTED) return `More than ${MAX_MISSING_COUNTED} pictures left`;
  return `${areOlderOpen ? "At least " : ""}${counted(count, "picture")} left`;
}

function nothingLeft(visit: BlogVisit, from: AltTextCursor): Html {
  const { call, blog } = visit;
  const isFromTheTop = from.after === undefined && from.before === undefined;
  const skipped = isFromTheTop ? 0 : missingAltTexts(call.platen, blog.id, {}).missing.length;
  const library = html`<a class="button quiet" href="${blogPath(blog, "/media")}">Back to media</a>`;
  return html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>Describe pictures</h1></div>
<div class="empty">
${
  skipped > 0
    ? html`<h2>End of the list</h2>
<p>You skipped ${counted(skipped, "picture")}.</p>
<p class="actions"><a class="button" href="${blogPath(blog, "/media/alt-text")}">Show them again</a>${library}</p>`
    : html`<h2>All pictures have alt text</h2>
<p>Every picture in a post has alt text or is marked as decorative.</p>
<p class="actions">${library}</p>`
}
</div>`;
}
