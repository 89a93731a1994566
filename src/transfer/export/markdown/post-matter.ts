import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { withBase } from "../../../posts/post/mf2-properties";
import type { WholePost } from "../../../posts/post/post";
import { previewImage } from "../../../posts/post/post-images";
import { oldSlugsOf } from "../../../posts/storage/old-slugs";
import { excerptOf } from "../../../posts/storage/stored-content";

/**
 * What stands above a post's text: YAML, by the names that Hugo, Jekyll and Eleventy know where they know any. What is
 * not said is as it is in a new post. The reader of it is import/folders/own-item.
 * @param folder where the files are, from where the text is
 */
export function postMatter(platen: Platen, post: WholePost, folder: string): string {
  const shown = previewImage(post);
  const fields: Record<string, unknown> = {
    generator: "Platen",
    title: post.title,
    slug: post.slug,
    date: post.publishedAt ?? undefined,
    created: post.createdAt,
    updated: post.updatedAt,
    status: post.status,
    draft: post.status !== "published" || undefined,
    type: post.type,
    categories: post.category ? [post.category.name] : undefined,
    tags: listOf(post.tags),
    description: post.summary ?? (excerptOf(platen, post) || undefined),
    summary: post.summary ?? undefined,
    pinned: post.pinned || undefined,
    aliases: listOf(oldSlugsOf(platen, post).map(addressOf)),
    image: shown && folder + encodeURIComponent(shown.filename),
    preview_image: post.previewImage ?? undefined,
    alt_text: altTexts(post),
    hidden: post.hidden || undefined,
    hide_in_rss: post.hideInRss || undefined,
    no_index_no_follow: post.noIndexNoFollow || undefined,
    show_contact_form: post.showContactForm || undefined,
    komments_disabled: post.kommentsDisabled || undefined,
    skip_archive: post.skipArchive || undefined,
    shared: post.shareId !== null || undefined,
    microformats: Object.keys(post.properties).length > 0 ? withFullAddresses(platen, post) : undefined,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n`;
}

function listOf(names: string[]): string[] | undefined {
  return names.length > 0 ? names : undefined;
}

/** "2013/05/tea" → "/2013/05/tea", "?p=7" → "/?p=7" */
function addressOf(path: string): string {
  return `/${path.startsWith("?") ? path : path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Of each picture that readers are given one for. */
function altTexts({ altText, attachments }: WholePost): Record<string, string> | undefined {
  const given = attachments
    .map(({ blob }: { blob: StoredBlob }) => blob)
    .filter(({ caption }) => caption !== "");
  const all = {
    ...Object.fromEntries(given.map(({ filename, caption }) => [filename, caption])),
    ...altText,
  };
  return Object.keys(all).length > 0 ? all : undefined;
}

function withFullAddresses({ config }: Platen, { properties }: WholePost): unknown {
  return JSON.parse(JSON.stringify(properties), (_, value) =>
    typeof value === "string" ? withBase(value, config.url) : value,
  );
}
