import { themeOf } from "../../blogs/appearance/folder-themes";
import { blogUrl } from "../../blogs/permalinks";
import type { Drawing } from "../../media/decoder/decoder-tasks";
import { mediaPath, renditionPath } from "../../media/files/media-urls";
import { PREVIEW_SIZE, previewCrop, renditionWidths } from "../../media/files/rendition-sizes";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { altTextOf, contentWarning, type Post, previewImage } from "../../posts/post/post";
import { livePost } from "../../posts/reading/finding-posts";
import { html } from "../../text/html";
import type { CardFont } from "../../themes/card-fonts";
import { cardFontOf } from "../../themes/design-choices";
import { accentOf, contrast, TEXT_CONTRAST } from "../styles/accent-and-contrast";
import { displayTitle } from "../text/title-and-summary";
import { drawable, drawOnce, fingerprintOf, isPlainLatin } from "./drawn-images";

const { width: CARD_WIDTH, height: CARD_HEIGHT } = PREVIEW_SIZE;

/** Increase this number when the drawing changes, so that cards are redrawn. */
const CARD_DESIGN_VERSION = 3;
const INK = "#24211d";
const SECONDARY_INK = "#6d675f";
const MARGIN = 80;
const BAR = 16;
const FOOT_SIZE = 34;
const HEAD = MARGIN + BAR;
const FOOT = CARD_HEIGHT - MARGIN - FOOT_SIZE;
const MAX_TITLE_HEIGHT = FOOT - FOOT_SIZE - HEAD;
/** Font sizes in pixels, with the longest title that they are used for. */
const TITLE_SIZES: [characters: number, size: number][] = [
  [24, 104],
  [60, 80],
  [110, 62],
  [Number.POSITIVE_INFINITY, 52],
];
const MAX_TITLE_LENGTH = 160;

/** The fingerprint changes with the card, so caches need not revalidate this URL. */
function cardUrl(platen: Platen, post: Post): string {
  return `${platen.config.url}/assets/card/${post.id}.${fingerprintOfCard(cardOf(platen, post))}.png`;
}

export async function cardAt(platen: Platen, postId: number, fingerprint: string) {
  const post = livePost(platen, postId);
  const card = post && cardOf(platen, post);
  if (!card || fingerprintOfCard(card) !== fingerprint) return null;
  return await drawOnce(platen, `card-${postId}`, fingerprint, drawingOf(card));
}

export function cardOfAnyPost(platen: Platen, post: Post): Promise<Uint8Array<ArrayBuffer>> {
  const card = cardOf(platen, post);
  return drawOnce(platen, `card-${post.id}`, fingerprintOfCard(card), drawingOf(card));
}

interface Card {
  title: string;
  blog: string;
  accent: string;
  paper: string;
  font: CardFont;
}

/** If the font lacks a letter, the blog's name replaces the title, and the URL replaces the blog's name. */
function cardOf(platen: Platen, post: Post): Card {
  const address = new URL(blogUrl(platen, post.blog));
  const urlText = decodeURI(address.host + address.pathname).replace(/\/$/, "");
  const blog = drawable(post.blog.title) ?? urlText;
  const title = excerpt(drawable(displayTitle(platen, post)) ?? blog, MAX_TITLE_LENGTH);
  const theme = themeOf(platen, post.blog);
  const { background } = post.blog.design;
  return {
    title,
    blog: excerpt(blog, 50),
    accent: accentOf(platen, post.blog),
    paper: background && contrast(background, SECONDARY_INK) >= TEXT_CONTRAST ? background : theme.paper,
    font: isPlainLatin(title + blog) ? cardFontOf(theme, post.blog.design) : "inter",
  };
}

const fingerprintOfCard = (card: Card) => fingerprintOf([CARD_DESIGN_VERSION, card]);

function drawingOf(card: Card): Drawing {
  const markup = (text: string, color: string) => html`<span foreground="${color}">${text}</span>`.markup;
  const text = { font: card.font, width: CARD_WIDTH - 2 * MARGIN, left: MARGIN };
  const titles = titleCandidates(card.title).map(([title, size]) => ({ markup: markup(title, INK), size }));
  const foot = { markup: markup(card.blog, SECONDARY_INK), size: FOOT_SIZE };
  const bar = html`<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${BAR}"><rect width="100%" height="100%" fill="${card.accent}"/></svg>`;
  return {
    width: CARD_WIDTH,
    height: CARD_HEIGHT,
    background: card.paper,
    layers: [
      { svg: bar.markup, left: 0, top: 0 },
      { ...text, candidates: titles, maxHeight: MAX_TITLE_HEIGHT, top: HEAD },
      { ...text, candidates: [foot], top: FOOT },
    ],
  };
}

/** Wide letters may not fit, so smaller sizes and shorter titles follow. */
function titleCandidates(title: string): [title: string, size: number][] {
  const sizes = TITLE_SIZES.filter(([characters]) => title.length <= characters);
  const candidates = sizes.map(([, size]): [string, number] => [title, size]);
  const shorter = excerpt(title, Math.floor([...title].length * 0.8));
  const isShorter = shorter !== "" && shorter.length < title.length;
  return isShorter ? [...candidates, ...titleCandidates(shorter)] : candidates;
}

/** Maximum width in pixels. Some services reject large originals. */
const MAX_PREVIEW_WIDTH = 1440;

export interface LinkPreview {
  url: string;
  width?: number | null;
  height?: number | null;
  alt: string;
}

export function linkPreview(platen: Platen, post: Post): LinkPreview {
  const blob = previewImage(post);
  if (!blob || contentWarning(post))
    return { url: cardUrl(platen, post), ...PREVIEW_SIZE, alt: displayTitle(platen, post) };
  const alt = altTextOf(blob, post.altText);
  const crop = previewCrop(blob);
  if (crop) return { url: platen.config.url + crop.path, ...PREVIEW_SIZE, alt };
  const width = renditionWidths(blob).findLast((size) => size <= MAX_PREVIEW_WIDTH);
  if (!width || !blob.width || !blob.height)
    return { url: platen.config.url + mediaPath(blob), width: blob.width, height: blob.height, alt };
  const height = Math.round((blob.height * width) / blob.width);
  return { url: platen.config.url + renditionPath(blob, width), width, height, alt };
}
