import { MEGABYTE } from "../../../config/units";
import type { StoredBlob } from "../../../media/files/blobs";
import type { WholePost } from "../../../posts/post/post";
import { oldSlugsOf } from "../../../posts/storage/slugs-and-permanent-ids";
import {
  countPost,
  countUnsupported,
  type ExportContext,
  type ExportFormat,
  tryOrReport,
} from "../export-blog";
import { eachPost, listKomments } from "../parts/exported-posts";
import { listFiles, writeMediaFiles } from "../parts/media-files";
import { countUnsupportedParts } from "../parts/unsupported-parts";
import { attachmentItem, postItem, previousSlugs } from "../wordpress/wxr-items";
import { createWxrSite, WXR_FOOT, type WxrSite, wxrHead } from "../wordpress/wxr-site";

/** A new WXR file begins after this size, because PHP limits uploads. wp-cli uses the same size. */
const MAX_FILE_BYTES = 15 * MEGABYTE;

export const wordpressExport: ExportFormat = {
  name: "wordpress",
  isArchive: false,
  async write(context) {
    const { platen, blog } = context;
    const site = createWxrSite(platen, blog);
    const items = itemsOf(site, context);
    let next = await items.next();
    for (let number = 1; number === 1 || !next.done; number++) {
      const bytes = async function* () {
        yield wxrHead(site, number === 1);
        for (let length = 0; !next.done && length < MAX_FILE_BYTES; next = await items.next()) {
          length += Buffer.byteLength(next.value);
          yield next.value;
        }
        yield WXR_FOOT;
      };
      const name = `${blog.slug}.wordpress.${String(number).padStart(3, "0")}.xml`;
      await context.out.text(name, site.at, bytes());
    }
    await writeMediaFiles(context, pathsOf);
    countUnsupportedParts(context);
  },
};

/** Paths below the uploads folder equal those below /media/, so that one redirect rule covers all old URLs. */
function pathsOf({ folder, filename }: StoredBlob) {
  const inFolder = `wp-content/uploads/${folder}`;
  return { path: `${inFolder}/${filename}`, poster: `${inFolder}/poster.webp` };
}

/** An upload comes before the first post that shows it, because WordPress imports items in order. */
async function* itemsOf(site: WxrSite, context: ExportContext): AsyncGenerator<string> {
  const { platen, blog } = site;
  const written = new Set<number>();
  for (const post of eachPost(platen, blog)) {
    const komments = listKomments(platen, post.id);
    const item = await tryOrReport(context, post.title || post.slug, () => postItem(site, post, komments));
    if (item === undefined) continue;
    for (const { blob } of post.attachments) {
      if (written.has(blob.id)) continue;
      written.add(blob.id);
      yield attachmentItem(site, blob, post);
    }
    yield item;
    countPost(context.report, post);
    context.report.komments += komments.length;
    countLosses(site, post, context);
    await context.step();
  }
  for (const blob of listFiles(platen, blog))
    if (!written.has(blob.id)) yield attachmentItem(site, blob, null);
}

function countLosses(site: WxrSite, post: WholePost, { platen, report }: ExportContext): void {
  const former = oldSlugsOf(platen, post).length - previousSlugs(site, post).length;
  countUnsupported(report, "old URLs with paths, which WordPress cannot redirect", former);
  const losses: [boolean, string][] = [
    [post.sourceType === "markdown", "Markdown posts, which become HTML"],
    [post.hidden && post.status === "published", "hidden posts, which become private"],
    [post.hideInRss, "posts hidden from feeds"],
    [post.skipArchive, "posts hidden from the archive"],
    [post.noIndexNoFollow, "posts with noindex"],
    [post.showContactForm, "contact forms"],
    [post.shareId !== null, "share links"],
    [post.series !== null, "series of posts, which WordPress does not have"],
    [post.language !== null, "languages of posts, which WordPress does not have"],
    [Object.keys(post.properties).length > 0, "posts with microformats"],
  ];
  for (const [applies, what] of losses) if (applies) countUnsupported(report, what);
}
