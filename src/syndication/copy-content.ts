import { postUrl } from "../blogs/blogs";
import type { StoredBlob } from "../media/files/blobs";
import type { Platen } from "../platen";
import { excerpt, MAX_EXCERPT_LENGTH } from "../posts/content/plain-text-and-excerpts";
import { replyContextText } from "../posts/content/reply-context";
import { altTextOf, contentWarning, languageOf, type Post, previewImage } from "../posts/post/post";
import { contentOf, excerptOf } from "../posts/storage/stored-posts";

const MAX_PICTURES = 4;
const MAX_ALT_LENGTH = 1500;
/** Longer texts are cut to this length before their graphemes are counted. */
const MAX_MEASURED = 20_000;

export interface CopyPicture {
  blob: StoredBlob;
  alt: string;
}

export interface CopyContent {
  /** Title and summary, or the text of a post without title. */
  text: string;
  url: string;
  language: string;
  warning: string;
  pictures: CopyPicture[];
  card: { title: string; description: string; picture: StoredBlob | undefined };
}

export function copyContent(platen: Platen, post: Post): CopyContent {
  const { blog, title, summary } = post;
  const ownText = () => contentOf(platen, post.id).text || replyContextText(post.properties);
  const images = post.attachments.map(({ blob }) => blob).filter(({ mediaType }) => mediaType === "image");
  const pictures = title === "" ? images.slice(0, MAX_PICTURES) : [];
  return {
    text: title === "" ? ownText() : [title, summary].filter(Boolean).join("\n\n"),
    url: postUrl(platen, blog, post),
    language: languageOf(post, blog),
    warning: contentWarning(post),
    pictures: pictures.map((blob) => ({
      blob,
      alt: altTextOf(blob, post.altText).slice(0, MAX_ALT_LENGTH),
    })),
    card: {
      title: title || blog.title,
      description: title === "" ? "" : excerpt(summary ?? excerptOf(platen, post), MAX_EXCERPT_LENGTH),
      picture: previewImage(post),
    },
  };
}

export function digestsOf({ pictures, card, ...words }: CopyContent): [whole: string, pictures: string] {
  const files = pictures.map(({ blob, alt }) => [blob.folder, alt]);
  const hash = (value: unknown) => Bun.SHA256.hash(JSON.stringify(value), "hex");
  return [hash([words, files, { ...card, picture: card.picture?.folder }]), hash(files)];
}

export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of new Intl.Segmenter().segment(text)) count++;
  return count;
}

/** Cuts between words if possible. A cut text ends with "…". */
export function cutText(text: string, fits: (text: string) => boolean): string {
  if (text.length <= MAX_MEASURED && fits(text)) return text;
  const pieces = [...new Intl.Segmenter().segment(text.slice(0, MAX_MEASURED))];
  const first = (count: number) => `${text.slice(0, pieces[count]?.index ?? MAX_MEASURED).trimEnd()}…`;
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(first(middle))) low = middle;
    else high = middle - 1;
  }
  const cut = first(low).slice(0, -1);
  const isBetweenWords = /\s/.test(text[cut.length] ?? "");
  const end = isBetweenWords ? cut.length : Math.max(cut.lastIndexOf(" "), cut.lastIndexOf("\n"));
  return `${cut.slice(0, end > cut.length / 2 ? end : cut.length).trimEnd()}…`;
}
