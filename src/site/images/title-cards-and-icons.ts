import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { blogUrl } from "../../blogs/blogs";
import { themeOf } from "../../blogs/folder-themes";
import type { Drawing } from "../../media/decoder/decoder-tasks";
import { runDecoderTask, SMALL_TASK_BYTES } from "../../media/decoder/decoding";
import { mediaPath, renditionPath } from "../../media/files/media-urls";
import { PREVIEW_SIZE, previewCrop, renditionWidths } from "../../media/files/rendition-sizes";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { altTextOf, contentWarning, type Post, previewImage } from "../../posts/post/post";
import { livePost } from "../../posts/reading/finding-posts";
import { chownToFolderOwner } from "../../runtime/files";
import { html, xmlDocument } from "../../text/html";
import { cardFontOf } from "../../themes/design-choices";
import type { BlogRequest, Document } from "../route-types";
import { accentOf, contrast, inkOn, TEXT_CONTRAST } from "../styles/stylesheets-and-accent";
import { displayTitle } from "../titles-dates-and-languages";

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
  const isCurrent = post && fingerprintOfCard(cardOf(platen, post)) === fingerprint;
  return isCurrent ? await cardOfAnyPost(platen, post) : null;
}

export function cardOfAnyPost(platen: Platen, post: Post): Promise<Uint8Array<ArrayBuffer>> {
  const card = cardOf(platen, post);
  return drawOnce(platen, `card-${post.id}`, fingerprintOfCard(card), drawCard(card));
}

type Card = ReturnType<typeof cardOf>;

/** If the font lacks a letter, the blog's name replaces the title, and the URL replaces the blog's name. */
function cardOf(platen: Platen, post: Post) {
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

function drawCard(card: Card): Drawing {
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

export type LinkPreview = ReturnType<typeof linkPreview>;

export function linkPreview(platen: Platen, post: Post) {
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

/** Increase this number when the drawing changes, so that icons are redrawn. */
const ICON_DESIGN_VERSION = 1;
export const PNG_SIZES = [180, 192, 512];
/** In pixels. /favicon.ico is a PNG too, because browsers look at the content. */
export const FAVICON_SIZE = 48;
/** Font size relative to the icon's height. Leaves space, because some devices crop icons to a circle. */
const LETTER = 0.56;

export function svgIcon({ platen, blog }: BlogRequest): Document {
  const accent = accentOf(platen, blog);
  const body = xmlDocument(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="${accent}"/><text x="32" y="33" fill="${inkOn(accent)}" font-family="system-ui, sans-serif" font-weight="700" font-size="38" text-anchor="middle" dominant-baseline="central">${initialOf(blog.title)}</text></svg>`,
  );
  return { contentType: "image/svg+xml", body };
}

export async function pngIcon({ platen, blog }: BlogRequest, size: number): Promise<Document> {
  const accent = accentOf(platen, blog);
  const letter = drawable(initialOf(blog.title));
  const fingerprint = fingerprintOf([ICON_DESIGN_VERSION, accent, letter]);
  const drawing = drawIcon(accent, letter, size);
  const body = await drawOnce(platen, `icon-${blog.id}-${size}`, fingerprint, drawing);
  return { contentType: "image/png", body };
}

function drawIcon(accent: string, letter: string | null, size: number): Drawing {
  const ink = inkOn(accent);
  const dot = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"><circle cx="50%" cy="50%" r="20%" fill="${ink}"/></svg>`;
  const markup = html`<span foreground="${ink}">${letter}</span>`.markup;
  const layer = letter
    ? { candidates: [{ markup, size: Math.round(size * LETTER) }], font: "inter" as const }
    : { svg: dot };
  return { width: size, height: size, background: accent, layers: [layer] };
}

/**
 * @param subject such as "card-7"; a new drawing replaces older drawings of the same subject
 * @param fingerprint hash of all inputs of the drawing
 */
export async function drawOnce(platen: Platen, subject: string, fingerprint: string, drawing: Drawing) {
  const name = `${subject}.${fingerprint}.png`;
  const path = join(drawingsFolder(platen), name);
  const cached = await readFile(path).catch(() => null);
  if (cached) return new Uint8Array(cached);
  const created = await mkdir(drawingsFolder(platen), { recursive: true });
  await runDecoderTask(platen, "draw", { drawing, to: path }, { need: SMALL_TASK_BYTES, purpose: "card" });
  chownToFolderOwner(platen.config.data, created ?? path);
  await removeOldDrawings(platen, subject, name);
  return new Uint8Array(await readFile(path));
}

async function removeOldDrawings(platen: Platen, subject: string, current: string): Promise<void> {
  const folder = drawingsFolder(platen);
  for (const name of await readdir(folder))
    if (name.startsWith(`${subject}.`) && name !== current) await rm(join(folder, name), { force: true });
}

function drawingsFolder(platen: Platen): string {
  return join(platen.config.data, "pictures");
}

export function fingerprintOf(inputs: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 16);
}

/** The font Inter has only Latin, Greek and Cyrillic letters. */
const DRAWABLE =
  /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\x20-\x7E\xA0-\xFF\u2010-\u205E\u20AC]|[\u0300-\u036F])*$/u;
const PICTOGRAMS = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F/gu;

/** Characters that every font for cards contains. */
const PLAIN = /^[\x20-\x7E\xA0-\u017F\u2010-\u2026\u20AC]*$/;

export function isPlainLatin(text: string): boolean {
  return PLAIN.test(text);
}

export function initialOf(name: string): string {
  const letters = new Intl.Segmenter().segment(name);
  const first = [...letters].find(({ segment }) => /[\p{L}\p{N}]/u.test(segment));
  return first?.segment.toLocaleUpperCase() ?? "";
}

/** Removes emoji; null if nothing is left or if Inter lacks a character. */
export function drawable(text: string): string | null {
  const words = text.replace(PICTOGRAMS, "").replace(/\s+/g, " ").trim();
  return words !== "" && DRAWABLE.test(words) ? words : null;
}
