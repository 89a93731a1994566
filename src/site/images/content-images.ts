import { themeOf } from "../../blogs/appearance/folder-themes";
import type { Blog } from "../../blogs/blogs";
import { blobInFolder } from "../../media/files/blobs";
import { cropsWithRatio, largestCrop } from "../../media/files/rendition-sizes";
import type { Platen } from "../../platen";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import { type Html, html, raw } from "../../text/html";
import { word } from "../../text/words/words";
import type { Theme } from "../../themes/theme-list";
import { expandSubscribeLinks } from "../subscribe-form";
import { accessibleContent } from "../text/accessible-content";
import { overPlaceholder } from "./placeholders-in-head";

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
