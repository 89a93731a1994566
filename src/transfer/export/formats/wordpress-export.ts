import { MEGABYTE } from "../../../config/units";
import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import { oldSlugsOf } from "../../../posts/storage/old-slugs";
import { countLost, countPost, type ExportFormat, orNone, type Writing } from "../export-blog";
import { filesOf, kommentsOn, postsOf } from "../parts/blog-rows";
import { countLeftOut, writeMedia } from "../parts/shared-files";
import { attachmentItem, ITEM_END, kommentElements, postItem, slugsOf } from "../wordpress/wxr-items";
import { WXR_FOOT, type WxrSite, wxrHead, wxrSite } from "../wordpress/wxr-site";

/** A file that has become as long as this is the last but one: wp-cli's measure, for what PHP takes at one time. */
const LONGEST_FILE = 15 * MEGABYTE;

/** What WordPress's Tools → Import → WordPress reads (WXR 1.2), with the media as they would lie there: docs/importing.md. */
export const wordpressExport: ExportFormat = {
  name: "wordpress",
  makes: "files that WordPress imports (WXR), with the media beside them",
  isArchive: false,
  async write(platen, blog, writing) {
    const site = wxrSite(platen, blog);
    const items = itemsOf(site, writing);
    let next = await items.next();
    for (let number = 1; number === 1 || !next.done; number++) {
      const bytes = async function* () {
        yield Buffer.from(wxrHead(site, number === 1));
        for (let length = 0; !next.done && length < LONGEST_FILE; next = await items.next())
          for await (const text of next.value) {
            const piece = Buffer.from(text);
            length += piece.length;
            yield piece;
          }
        yield Buffer.from(WXR_FOOT);
      };
      const name = `${blog.slug}.wordpress.${String(number).padStart(3, "0")}.xml`;
      await writing.out.text(name, site.at, bytes());
    }
    await writeMedia(platen, blog, writing, pathsOf);
    countLeftOut(platen, blog, writing.report);
  },
};

/** As below /media/ here: one rule of a web server leads from the old addresses to them. */
function pathsOf({ folder, filename }: StoredBlob) {
  const inFolder = `wp-content/uploads/${folder}`;
  return { path: `${inFolder}/${filename}`, poster: `${inFolder}/poster.webp` };
}

type Item = Iterable<string> | AsyncIterable<string>;

/** Each upload stands before the first post that shows it, so that WordPress knows it when that comes. */
async function* itemsOf(site: WxrSite, writing: Writing): AsyncGenerator<Item> {
  const { platen, blog } = site;
  const written = new Set<number>();
  for await (const post of postsOf(platen, blog)) {
    const [item] = await orNone(writing, post.title || post.slug, () => postItem(site, post));
    if (item === undefined) continue;
    for (const { blob } of post.attachments) {
      if (written.has(blob.id)) continue;
      written.add(blob.id);
      yield [attachmentItem(site, blob, post)];
    }
    yield wholeItem(site, post, item, writing);
    countPost(writing.report, post);
    countLostIn(platen, site, post, writing);
    await writing.step();
  }
  for await (const blob of filesOf(platen, blog))
    if (!written.has(blob.id)) yield [attachmentItem(site, blob, null)];
}

async function* wholeItem(
  site: WxrSite,
  post: WholePost,
  beginning: string,
  { report }: Writing,
): AsyncGenerator<string> {
  yield beginning;
  for await (const komment of kommentsOn(site.platen, post)) {
    yield kommentElements(site, komment);
    report.komments++;
  }
  yield ITEM_END;
}

function countLostIn(platen: Platen, site: WxrSite, post: WholePost, { report }: Writing): void {
  const former = oldSlugsOf(platen, post).length - slugsOf(site, post).length;
  countLost(report, "former addresses that are paths, which lead nowhere there", former);
  const met: [boolean, string][] = [
    [post.sourceType === "markdown", "texts in Markdown, which are HTML there"],
    [post.hidden && post.status === "published", "posts that no list shows, which are private there"],
    [post.hideInRss, "posts that are left out of feeds"],
    [post.skipArchive, "posts that are left out of the archive"],
    [post.noIndexNoFollow, "posts that search engines are kept from"],
    [post.showContactForm, "contact forms"],
    [post.shareId !== null, "share links"],
    [Object.keys(post.properties).length > 0, "posts with microformats"],
  ];
  for (const [isSo, what] of met) if (isSo) countLost(report, what);
}
