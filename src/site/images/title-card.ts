import type { OutputInfo } from "sharp";
import { blogUrl } from "../../blogs/permalinks";
import { html } from "../../html";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { livePost } from "../../posts/reading/post-by-id";
import { accentOf } from "../styles/accent";
import { excerpt } from "../text/excerpt";
import { nameOf } from "../text/titles";
import { drawable } from "./drawable-text";
import { keptPicture, type Pencils } from "./drawn-images";

/** In pixels: what the services that show links make of them. */
export const CARD_WIDTH = 1200;
export const CARD_HEIGHT = 630;

/** Counts up when cards are to look another way: each is drawn anew then. */
const DESIGN = 2;
const PAPER = "#fdfcfa";
const INK = "#24211d";
const QUIET = "#6d675f";
const MARGIN = 80;
const BAR = 16;
const FOOT_SIZE = 34;
/** Where the title begins, and the blog's name below it. */
const HEAD = MARGIN + BAR;
const FOOT = CARD_HEIGHT - MARGIN - FOOT_SIZE;
const HIGHEST_TITLE = FOOT - FOOT_SIZE - HEAD;
/** Titles of at most so many characters are drawn so large, in pixels, if that leaves room. */
const SIZES: [characters: number, size: number][] = [
  [24, 104],
  [60, 80],
  [110, 62],
  [Number.POSITIVE_INFINITY, 52],
];
/** In characters; longer ones are cut. */
const LONGEST_TITLE = 160;

/** The address of the card that shows the post's title; another one whenever the card would look different. */
export function cardUrl(platen: Platen, post: Post): string {
  return `${platen.config.url}/assets/card/${post.id}.${lookOf(wordsOn(platen, post))}.png`;
}

/** The card at that address; null where the post is not live, or looks different by now. */
export async function cardAt(platen: Platen, postId: number, look: string): Promise<Uint8Array | null> {
  const post = livePost(platen, postId);
  const words = post && wordsOn(platen, post);
  if (!words || lookOf(words) !== look) return null;
  return await keptPicture(platen, `card-${postId}`, look, (pencils) => draw(words, pencils));
}

interface Words {
  title: string;
  blog: string;
  accent: string;
}

/** What cannot be drawn is left to the blog's address, which always can be. */
function wordsOn(platen: Platen, post: Post): Words {
  const address = new URL(blogUrl(platen, post.blog));
  const place = decodeURI(address.host + address.pathname).replace(/\/$/, "");
  const blog = drawable(post.blog.title) ?? place;
  return {
    title: excerpt(drawable(nameOf(post)) ?? blog, LONGEST_TITLE),
    blog: excerpt(blog, 50),
    accent: accentOf(post.blog),
  };
}

function lookOf(words: Words): string {
  const everything = JSON.stringify([DESIGN, words]);
  return new Bun.CryptoHasher("sha256").update(everything).digest("hex").slice(0, 16);
}

async function draw(words: Words, { sharp, fontfile }: Pencils): Promise<Uint8Array> {
  const text = (says: string, colour: string, pixels: number): Promise<Drawn> =>
    sharp({
      text: {
        text: html`<span foreground="${colour}">${says}</span>`.markup,
        font: `Inter Bold ${pixels}`,
        fontfile,
        width: CARD_WIDTH - 2 * MARGIN,
        dpi: 72,
        rgba: true,
        wrap: "word-char",
      },
    })
      .png()
      .toBuffer({ resolveWithObject: true });
  const [title, blog] = await Promise.all([
    fitting(words.title, (says, size) => text(says, INK, size)),
    text(words.blog, QUIET, FOOT_SIZE),
  ]);
  const bar = { width: CARD_WIDTH, height: BAR, channels: 3 as const, background: words.accent };
  const paper = { width: CARD_WIDTH, height: CARD_HEIGHT, channels: 3 as const, background: PAPER };
  return await sharp({ create: paper })
    .composite([
      { input: { create: bar }, left: 0, top: 0 },
      { input: title.data, left: MARGIN, top: HEAD },
      { input: blog.data, left: MARGIN, top: FOOT },
    ])
    .png({ palette: true })
    .toBuffer();
}

interface Drawn {
  data: Buffer;
  info: OutputInfo;
}

/** Letters differ in width: of wide ones, fewer go on a card. */
async function fitting(title: string, text: (says: string, size: number) => Promise<Drawn>): Promise<Drawn> {
  for (const [characters, size] of SIZES) {
    if (title.length > characters) continue;
    const drawn = await text(title, size);
    if (drawn.info.height <= HIGHEST_TITLE) return drawn;
  }
  return await fitting(excerpt(title, Math.floor([...title].length * 0.8)), text);
}
