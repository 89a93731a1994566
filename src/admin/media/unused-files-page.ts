import type { StoredBlob } from "../../media/files/blobs";
import { posterPath, thumbnailPath } from "../../media/files/media-urls";
import { csrfField } from "../../owner/csrf";
import { unusedFiles } from "../../posts/media-library/unused-files";
import { type Html, html } from "../../text/html";
import { byteWords, counted } from "../../text/numbers";
import { type BlogVisit, blogPath } from "../layout/visit";

export async function unusedMain(visit: BlogVisit, before: number | null): Promise<Html> {
  const { call, blog, token } = visit;
  const { files, next } = await unusedFiles(call.platen, blog, before);
  const path = blogPath(blog, "/media");
  const words = `Delete ${counted(files.length, "file")}`;
  const size = files.reduce((sum, { byteSize }) => sum + byteSize, 0);
  return html`<h1>${files.length === 0 ? "Nothing to delete" : `${words}?`}</h1>
<p class="lead">${
    files.length === 0
      ? next === null
        ? "Every file is in use: in a post (even in the trash), an older version of a post, or a header, footer or custom CSS."
        : "These files are all in use. Older files were not checked yet."
      : html`No post uses them, not even in the trash or in an older version, and no header, footer or CSS links to them. This permanently deletes ${byteWords(size)}, plus their smaller sizes.`
  } Files added in the last 24 hours are kept, because unsaved changes may use them.</p>
${files.length > 0 && unusedTiles(files, path)}
<form class="actions" method="post" action="${path}/unused">
${csrfField(token)}
${files.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
${files.length > 0 && html`<button class="danger">${words}</button>`}
${next !== null && html`<a class="button quiet" href="${path}/unused?before=${next}">Older files</a>`}
<a class="button quiet" href="${path}?show=unused">Back</a>
</form>`;
}

function unusedTiles(files: StoredBlob[], path: string): Html {
  return html`<ul class="tiles small">
${files.map(
  (
    file,
  ) => html`<li><a href="${path}/${file.id}"><img src="${posterPath(file) ?? thumbnailPath(file)}" alt="" width="320" height="320" loading="lazy" decoding="async">
<span class="name">${file.filename}</span></a><p class="about"><span>${byteWords(file.byteSize)}</span></p></li>
`,
)}</ul>`;
}
