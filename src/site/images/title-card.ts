import type { OutputInfo } from "sharp";
import { blogUrl } from "../../blogs/permalinks";
import { html } from "../../html";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/excerpt";
import type { Post } from "../../posts/post/post";
import { livePost } from "../../posts/reading/post-by-id";
import { accentOf } from "../styles/accent";
import { displayTitle } from "../text/title-and-summary";
import { drawable } from "./drawable-text";
import { type DrawingTools, drawnOnce } from "./drawn-images";

/** In pixels: the size that services show previews of links in. */
export const CARD_WIDTH = 1200;
export const CARD_HEIGHT = 630;

/** Count it up when the drawing of cards changes: they are drawn anew then. */
const DESIGN = 2;
const PAPER = "#fdfcfa";
const INK = "#24211d";
const LESSER_INK = "#6d675f";
const MARGIN = 80;
const BAR = 16;
const FOOT_SIZE = 34;
/** Where the title and the blog's name begin, from the top. */
const HEAD = MARGIN + BAR;
const FOOT = CARD_HEIGHT - MARGIN - FOOT_SIZE;
const HIGHEST_TITLE = FOOT - FOOT_SIZE - HEAD;
/** Titles of at most so many characters are drawn in this size, in pixels, if they fit on the card. */
const SIZES: [characters: number, size: number][] = [
  [24, 104],
  [60, 80],
  [110, 62],
  [Number.POSITIVE_INFINITY, 52],
];
/** In characters; longer ones are cut. */
const LONGEST_TITLE = 160;

/** The address of the post's card. It holds the card's fingerprint, so that what is at an address never changes. */
export function cardUrl(platen: Platen, post: Post): string {
  return `${platen.config.url}/assets/card/${post.id}.${fingerprintOf(cardOf(platen, post))}.png`;
}

/** The card at that address; null where the post is not live or its card has another fingerprint by now. */
export async function cardAt(
  platen: Platen,
  postId: number,
  fingerprint: string,
): Promise<Uint8Array | null> {
  const post = livePost(platen, postId);
  const card = post && cardOf(platen, post);
  if (!card || fingerprintOf(card) !== fingerprint) return null;
  return await drawnOnce(platen, `card-${postId}`, fingerprint, (tools) => draw(card, tools));
}

/** What is drawn on a card; the fingerprint is made from it. */
interface Card {
  title: string;
  /** The blog's name, or its address. */
  blog: string;
  accent: string;
}

/** Where the font lacks letters of the title, the blog's name stands in; where it lacks letters of that, its address. */
function cardOf(platen: Platen, post: Post): Card {
  const address = new URL(blogUrl(platen, post.blog));
  const place = decodeURI(address.host + address.pathname).replace(/\/$/, "");
  const blog = drawable(post.blog.title) ?? place;
  return {
    title: excerpt(drawable(displayTitle(post)) ?? blog, LONGEST_TITLE),
    blog: excerpt(blog, 50),
    accent: accentOf(post.blog),
  };
}

function fingerprintOf(card: Card): string {
  const everything = JSON.stringify([DESIGN, card]);
  return new Bun.CryptoHasher("sha256").update(everything).digest("hex").slice(0, 16);
}

async function draw(card: Card, { sharp, fontfile }: DrawingTools): Promise<Uint8Array> {
  const drawnText = (text: string, colour: string, pixels: number): Promise<Drawn> =>
    sharp({
      text: {
        text: html`<span foreground="${colour}">${text}</span>`.markup,
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
    fitting(card.title, (text, size) => drawnText(text, INK, size)),
    drawnText(card.blog, LESSER_INK, FOOT_SIZE),
  ]);
  const bar = { width: CARD_WIDTH, height: BAR, channels: 3 as const, background: card.accent };
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

/** The title in the largest size that fits; cut where none does, as wide letters need more room. */
async function fitting(title: string, draw: (text: string, size: number) => Promise<Drawn>): Promise<Drawn> {
  for (const [characters, size] of SIZES) {
    if (title.length > characters) continue;
    const drawn = await draw(title, size);
    if (drawn.info.height <= HIGHEST_TITLE) return drawn;
  }
  return await fitting(excerpt(title, Math.floor([...title].length * 0.8)), draw);
}
