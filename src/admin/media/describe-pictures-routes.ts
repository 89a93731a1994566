import { sgidOf } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import {
  MAX_MISSING_COUNTED,
  type MissingAltText,
  missingAltTexts,
  nearbySentences,
} from "../../posts/media-library/listing-and-alt-texts";
import { findPost } from "../../posts/reading/finding-posts";
import { contentOf } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { parentLink, postForm } from "../layout/page-controls";
import { blogRoutes } from "../layout/routing";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName, stateWords } from "../posts/post-states-and-rows";
import { responsiveImage } from "./file-routes";
import { mediaPage } from "./library-routes";

const SIZES = "(min-width: 48rem) 40rem, 100vw";

export const describePicturesRoutes = blogRoutes({
  "GET /media/alt-text": (visit) => mediaPage("Describe pictures", describePicturesMain(visit)),
});

/** Parses "?after=7-12": the ids of the file and the attachment after which the list starts. */
function parseAltTextCursor(params: URLSearchParams): MissingAltText | undefined {
  const cursor = /^(\d{1,15})-(\d{1,15})$/.exec(params.get("after") ?? "");
  return cursor ? { blobId: Number(cursor[1]), attachmentId: Number(cursor[2]) } : undefined;
}

function describePicturesMain(visit: BlogVisit): Html {
  const { call, platen, blog } = visit;
  const after = parseAltTextCursor(call.url.searchParams);
  const missing = missingAltTexts(platen, blog.id, after);
  const [first] = missing;
  if (!first) return nothingLeft(visit, after);
  const file = blobWithId(platen, first.blobId) as StoredBlob;
  const post = findPost(platen, visit, first.postId, blog.id);
  const { html: content } = contentOf(platen, post.id);
  const nearby = nearbySentences(content, sgidOf(platen, file), blog.language);
  const isMore = missing.length > MAX_MISSING_COUNTED;
  const left = isMore ? `More than ${MAX_MISSING_COUNTED} pictures` : counted(missing.length, "picture");
  const next = `${blogPath(blog, "/media/alt-text")}?after=${first.blobId}-${first.attachmentId}`;
  return html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>Describe pictures</h1>
<p class="count" role="status">${left} left</p></div>
<div class="describing">
<p class="about"><a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}</a>${stateWords(post, platen.now(), visit.times)}</p>
${nearby.before && html`<p class="beside">${nearby.before}</p>`}
${responsiveImage(file, SIZES, `The picture to describe: ${file.filename}`)}
${nearby.after && html`<p class="beside">${nearby.after}</p>`}
${postForm(visit, "", blogPath(blog, `/media/${file.id}/alt-text`), { post: post.id, next })}
<div class="field"><label for="alt">Alt text</label>
<input type="text" id="alt" name="alt" required autofocus autocomplete="off" maxlength="10000" aria-describedby="help"></div>
<p class="help" id="help">Describe the picture for someone who can’t see it. Enter saves the alt text and shows the next picture.</p>
<div class="actions">
<button class="primary">Save</button>
<button class="quiet" name="decorative" value="1" formnovalidate>Decorative</button>
<a class="button quiet" href="${next}">Skip</a>
</div>
</form>
</div>`;
}

function nothingLeft(visit: BlogVisit, after: MissingAltText | undefined): Html {
  const { call, blog } = visit;
  const skipped = after ? missingAltTexts(call.platen, blog.id).length : 0;
  const library = html`<a class="button quiet" href="${blogPath(blog, "/media")}">Back to media</a>`;
  return html`${parentLink(blogPath(blog, "/media"), "Media")}
<div class="page-head"><h1>Describe pictures</h1></div>
<div class="empty">
${
  skipped > 0
    ? html`<h2>End of the list</h2>
<p>You skipped ${counted(skipped, "picture")}.</p>
<p class="actions"><a class="button" href="${blogPath(blog, "/media/alt-text")}">Show skipped pictures</a>${library}</p>`
    : html`<h2>All pictures have alt text</h2>
<p>Every picture in a post has alt text or is marked as decorative.</p>
<p class="actions">${library}</p>`
}
</div>`;
}
