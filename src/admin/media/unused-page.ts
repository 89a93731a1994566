import type { StoredBlob } from "../../media/files/blobs";
import { posterPath, thumbnailPath } from "../../media/files/media-urls";
import { csrfField } from "../../owner/csrf";
import { unusedFiles } from "../../posts/library/deleting-unused-files";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { byteWords } from "../words/byte-words";

/** What would be deleted, before anything is. @param before see LibraryQuery */
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
        ? "Something uses every file: a post, also one in the trash, an older version of a post, or a header, footer or custom CSS."
        : "Something uses each of these files; older ones were not looked at yet."
      : html`No post shows them, not even one in the trash or an older version, and no header, footer or CSS names them. They are gone for good, ${byteWords(size)} and the sizes made of them.`
  } Files that were added within the last day stay: a text that is not saved yet may show them.</p>
${files.length > 0 && list(files, path)}
<form class="actions" method="post" action="${path}/unused">
${csrfField(token)}
${files.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
${files.length > 0 && html`<button class="danger">${words}</button>`}
${next !== null && html`<a class="button quiet" href="${path}/unused?before=${next}">Older files</a>`}
<a class="button quiet" href="${path}?show=unused">Back</a>
</form>`;
}

function list(files: StoredBlob[], path: string): Html {
  return html`<ul class="tiles small">
${files.map(
  (
    file,
  ) => html`<li><a href="${path}/${file.id}"><img src="${posterPath(file) ?? thumbnailPath(file)}" alt="" width="320" height="320" loading="lazy" decoding="async">
<span class="name">${file.filename}</span></a><p class="about"><span>${byteWords(file.byteSize)}</span></p></li>
`,
)}</ul>`;
}
