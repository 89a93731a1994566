import { shareUrl } from "../../../blogs/permalinks";
import type { Platen } from "../../../platen";
import type { Post } from "../../../posts/post/post";
import { type Html, html } from "../../../text/html";

/** @param isAtShareLink a button here was just pressed: the page opens at it */
export function shareLink(platen: Platen, post: Post | null, isAtShareLink: boolean): Html {
  const focus = isAtShareLink && html` autofocus`;
  if (!post)
    return html`<p class="hint">Once it is saved, you can make a link to give to those who should read it before all others.</p>`;
  if (post.shareId === null)
    return html`<p class="hint">Whoever has the link reads it as it was last saved, also while it is a draft.</p>
<p class="actions"><button class="quiet" name="action" value="share" formnovalidate${focus}>Make a share link</button></p>`;
  return html`<div class="field"><label for="share-address">Give this to whoever should read it</label>
<div class="beside"><textarea readonly rows="2" id="share-address"${focus} aria-describedby="share-link-hint" spellcheck="false">
${shareUrl(platen, post.shareId)}</textarea>
<button type="button" class="quiet" data-copy="share-address" data-with-scripts>Copy</button></div>
<p class="hint" id="share-link-hint">It shows this as it was last saved, also while it is a draft.</p></div>
<p class="actions"><button class="quiet" name="action" value="revoke" formnovalidate>Revoke<span class="spoken"> the share link</span></button></p>`;
}
