import type { Blog } from "../../blogs/blogs";
import { themeOf } from "../../blogs/folder-themes";
import { blobInFolder, placeholdersAndFocusOf } from "../../media/files/blobs";
import { mediaPath, srcset } from "../../media/files/media-urls";
import { cropsWithRatio, largestCrop } from "../../media/files/rendition-sizes";
import type { Platen } from "../../platen";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import { altTextOf, contentWarning, previewImage } from "../../posts/post/post";
import type { PublicPost } from "../../posts/reading/public-posts";
import { attachmentsOf } from "../../posts/storage/stored-posts";
import { type Html, html, raw } from "../../text/html";
import { word } from "../../text/words/words";
import type { Theme } from "../../themes/theme-list";
import { accessibleContent } from "../accessible-content";
import { expandSubscribeLinks } from "../subscribe-form";

/** An image as attachment-figures.ts writes it. Attribute values contain neither `"` nor `>`. */
const FIGURE =
  /<figure class="attachment attachment-image"[^>]*>(<img[^>]*>)(<figcaption>[^<]*<\/figcaption>)?<\/figure>/;
const IMAGE = '<figure class="attachment attachment-image"';
const EACH_IMAGE = /<figure class="attachment attachment-image"([^>]*)>(<img[^>]*>)/g;
const GALLERY = new RegExp(`(?:${FIGURE.source}\\s*){2,}`, "g");

/** Picture of a link card or player. It must not link to its file. */
const CARD_IMAGE =
  /(<(?:div class="bookmark"|figure class="player")>\s*)<figure class="attachment attachment-image"[^>]*>(<img[^>]*>)(?:<figcaption>[^<]*<\/figcaption>)?<\/figure>/g;
/** Maximum of `--side` in base.css. */
const BOOKMARK_SIZES = "12rem";

/** In pixels. A gallery does not enlarge narrower images. */
const MAX_SMALL_WIDTH = 512;

export function contentOfPage(platen: Platen, blog: Blog, html: string): Html | null {
  return html === "" ? null : contentForPage(platen, blog, html, true);
}

/** @param isAtTop whether the page begins with this content, whose first image then loads eagerly */
export function contentForPage(platen: Platen, blog: Blog, html: string, isAtTop: boolean): Html {
  const accessible = expandSubscribeLinks(platen, blog, accessibleContent(blog, insertBaseUrl(html, "")));
  if (!accessible.includes(IMAGE)) return raw(accessible);
  const theme = themeOf(platen, blog);
  const content = accessible
    .replace(CARD_IMAGE, (_, start: string, image: string) => start + cardPicture(start, image, theme).markup)
    .replace(GALLERY, (images) => gallery(images, theme));
  let number = 0;
  const linked = content.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
    const isFirst = isAtTop && number++ === 0;
    const show = (all: string, sized: string) =>
      `${IMAGE}${all}>${linkImage(blog, isFirst ? loadEagerly(sized) : sized).markup}`;
    if (attributes.includes(" data-row")) return show(attributes, image);
    const sized = withSizes(cropImage(platen, image, attributes), sizesOf(attributes, theme));
    return show(`${attributes} data-row="${shapeOfImage(image, attributes)}"`, sized);
  });
  return raw(linked);
}

function cardPicture(start: string, image: string, { wide }: Theme): Html {
  const sizes = start.includes("bookmark") ? BOOKMARK_SIZES : `(min-width: ${wide}rem) ${wide}rem, 100vw`;
  const address = / src="([^"]*)"/.exec(image)?.[1] ?? "";
  return html`<div class="picture"${overPlaceholder(address)}>${raw(withSizes(image, sizes))}</div>`;
}

/** `data-row` sets an image's width, so that all images of a row have the same height. */
function gallery(images: string, { wide }: Theme): string {
  const sizes = `(min-width: ${wide}rem) ${Math.round(wide * 0.6)}rem, 60vw`;
  const figures = images.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
    const { width } = sizeOf(image);
    const small = width && width < MAX_SMALL_WIDTH ? " data-small" : "";
    const row = `data-row="${shapeOfImage(image, attributes)}"${small}`;
    return `${IMAGE}${attributes} ${row}>${withSizes(image, sizes)}`;
  });
  return `<div class="gallery">${figures}</div>`;
}

/** If no crop has the full width, the original is also offered, and CSS crops it. */
function cropImage(platen: Platen, image: string, attributes: string): string {
  const ratio = / data-crop="([\d:]+)"/.exec(attributes)?.[1];
  const [, original, folder] = / src="(\/media\/([\w-]+)\/[^"]*)"/.exec(image) ?? [];
  // Only images that can be resized have a `srcset`.
  if (!ratio || !folder || !image.includes(' srcset="')) return image;
  const focus = blobInFolder(platen, folder)?.focus ?? "";
  const blob = { folder, focus, mediaType: "image" as const, isAnimated: false, ...sizeOf(image) };
  const { width, height } = largestCrop(blob, ratio);
  const crops = cropsWithRatio(blob, ratio);
  const sources = crops.map((crop) => `${crop.path} ${crop.width}w`);
  if (crops.at(-1)?.width !== width) sources.push(`${original} ${width}w`);
  return image
    .replace(/ width="\d+" height="\d+"/, ` width="${width}" height="${height}"`)
    .replace(/ srcset="[^"]*"/, ` srcset="${sources.join(", ")}"`);
}

function shapeOfImage(image: string, attributes: string): ReturnType<typeof shapeOf> {
  const [, widthRatio, heightRatio] = / data-crop="(\d+):(\d+)"/.exec(attributes) ?? [];
  if (widthRatio && heightRatio) return shapeOf(Number(widthRatio) / Number(heightRatio));
  const { width, height } = sizeOf(image);
  return width && height ? shapeOf(width / height) : "square";
}

function sizeOf(image: string): { width: number; height: number } {
  const [, width, height] = / width="(\d+)" height="(\d+)"/.exec(image) ?? [];
  return { width: Number(width ?? 0), height: Number(height ?? 0) };
}

function sizesOf(attributes: string, { measure, wide }: Theme): string {
  if (attributes.includes(' data-width="full"')) return "100vw";
  const width = attributes.includes(' data-width="text"') ? measure : wide;
  return `(min-width: ${width}rem) ${width}rem, 100vw`;
}

function shapeOf(ratio: number): "tall" | "square" | "wide" | "long" {
  if (ratio < 0.85) return "tall";
  if (ratio < 1.2) return "square";
  return ratio < 1.9 ? "wide" : "long";
}

function withSizes(image: string, sizes: string): string {
  return image.replace(/ sizes="[^"]*"/, ` sizes="${sizes}"`);
}

function loadEagerly(image: string): string {
  return image.replace(' loading="lazy" decoding="async"', ' fetchpriority="high"');
}

function linkImage(blog: Blog, image: string): Html {
  const address = / src="([^"]*)"/.exec(image)?.[1] ?? "";
  const isUnnamed = / alt=""/.test(image);
  const label = isUnnamed && html` aria-label="${word(blog, "viewImage")}"`;
  return html`<a class="picture" href="${raw(address)}"${overPlaceholder(address)}${label}>${raw(image)}</a>`;
}

const EAGER_COVERS = 3;

export type Cover = { image: Html; mark: Html | null };

export function coversOf(platen: Platen, blog: Blog, posts: PublicPost[]): Map<number, Cover> {
  const covers = new Map<number, Cover>();
  const theme = coverSizes(platen, blog);
  if (!theme) return covers;
  const ids = posts.map(({ id }) => id);
  const attachments = attachmentsOf(platen, ids);
  for (const post of posts) {
    const { id, title, altText } = post;
    const blob = previewImage({ ...post, attachments: attachments.get(id) ?? [] });
    if (!blob || contentWarning(post)) continue;
    const number = covers.size;
    const sources = srcset(blob);
    const sizes = number === 0 ? theme.firstSizes : theme.sizes;
    const sizing = sources && html` srcset="${sources}" sizes="${sizes}"`;
    const image = html`<img class="${title ? "u-featured" : "u-photo"}" src="${mediaPath(blob)}" alt="${altTextOf(blob, altText)}"${sizing} width="${blob.width}" height="${blob.height}"${raw(loading(number))}>`;
    covers.set(id, { image, mark: overPlaceholder(mediaPath(blob)) });
  }
  return covers;
}

const STANDARD_SIZES = "(min-width: 40rem) 38rem, 100vw";

function coverSizes(platen: Platen, blog: Blog) {
  const { list = "theme" } = blog.design;
  const { covers } = themeOf(platen, blog);
  if (list === "theme" || (list === "covers" && covers)) return covers;
  return list === "covers" ? { firstSizes: STANDARD_SIZES, sizes: STANDARD_SIZES } : null;
}

function loading(number: number): string {
  if (number === 0) return ' fetchpriority="high"';
  return number < EAGER_COVERS ? "" : ' loading="lazy" decoding="async"';
}

const FOLDER = /^\/media\/([\w-]+)\//;
const EACH_MARK = / data-blur="([\w-]+)"/g;

/** An attribute for the parent of an image, which then shows the image's placeholder and focal point. */
export function overPlaceholder(path: string): Html | null {
  const folder = FOLDER.exec(path)?.[1];
  return folder ? html` data-blur="${folder}"` : null;
}

/** For the head. Inside the content, parsers would mistake placeholders for images of the post. */
export function placeholderStyles(platen: Platen, main: Html): Html | null {
  const folders = [...new Set([...main.markup.matchAll(EACH_MARK)].map(([, folder]) => folder as string))];
  if (folders.length === 0) return null;
  const rules = placeholdersAndFocusOf(platen, folders).flatMap(({ folder, placeholder, focus }) => [
    ...(placeholder ? [`[data-blur="${folder}"]::before{background-image:url(${placeholder})}`] : []),
    ...(focus ? [`[data-blur="${folder}"]>img{object-position:${focus}}`] : []),
  ]);
  return rules.length > 0 ? html`<style>${raw(rules.join("\n"))}</style>\n` : null;
}
