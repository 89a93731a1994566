import { shareUrl } from "../../../blogs/permalinks";
import type { Platen } from "../../../platen";
import type { Post } from "../../../posts/post/post";
import { type Html, html } from "../../../text/html";

/** @param isAtShareLink true if the user just created or revoked the link; the page then scrolls to the link */
export function shareLink(platen: Platen, post: Post | null, isAtShareLink: boolean): Html {
  const focus = isAtShareLink && html` autofocus`;
  if (!post)
    return html`<p class="hint">Save it first. Then you can share a link to it, even as a draft.</p>`;
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
