import type { Blog } from "../../blogs/blogs";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import { type Html, html, raw } from "../../text/html";
import { themeNamed } from "../../themes/themes";
import { accessibleContent } from "../text/accessible-content";
import { overPlaceholder } from "./placeholders-in-head";

/** Written by src/posts/content/attachment-figures.ts: attribute values contain neither `"` nor `>`. */
const FIGURE =
  /<figure class="attachment attachment-image"[^>]*>(<img[^>]*>)(<figcaption>[^<]*<\/figcaption>)?<\/figure>/;
const IMAGE = '<figure class="attachment attachment-image"';
const EACH_IMAGE = /<figure class="attachment attachment-image"([^>]*)>(<img[^>]*>)/g;
/** Consecutive images. */
const GALLERY = new RegExp(`(?:${FIGURE.source}\\s*){2,}`, "g");

/** `sizes` of an image in a gallery, in every theme. */
const GALLERY_SIZES = "(min-width: 46rem) 24rem, 50vw";
/** The widest gallery cell in pixels; smaller images are not enlarged. */
const MAX_CELL_WIDTH = 512;

/** Content at the top of a page; null if it is empty. */
export function contentOfPage(blog: Blog, stored: string): Html | null {
  return stored === "" ? null : contentForPage(blog, stored, true);
}

/**
 * Prepares stored HTML for a page: galleries, blurred placeholders, links to the image files, keyboard access. Feeds and
 * the API get the stored HTML.
 * @param isAtTop whether the page begins with it: its first image is not loaded lazily
 */
export function contentForPage(blog: Blog, stored: string, isAtTop: boolean): Html {
  const accessible = accessibleContent(insertBaseUrl(stored, ""));
  if (!accessible.includes(IMAGE)) return raw(accessible);
  const content = accessible.replace(GALLERY, gallery);
  const { imageSizes } = themeNamed(blog.theme);
  let number = 0;
  return raw(
    content.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
      const isFirst = isAtTop && number++ === 0;
      const shown = attributes.includes(" data-row") ? image : withSizes(image, imageSizes);
      return `<figure class="attachment attachment-image"${attributes}>${
        linked(isFirst ? loadedAtOnce(shown) : shown).markup
      }`;
    }),
  );
}

/** `data-row` sets an image's width, so that all images of a row have the same height. */
function gallery(images: string): string {
  const figures = images.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
    return `<figure class="attachment attachment-image"${attributes} ${cellOf(image)}>${withSizes(image, GALLERY_SIZES)}`;
  });
  return `<div class="gallery">${figures}</div>`;
}

function cellOf(image: string): string {
  const [, width, height] = / width="(\d+)" height="(\d+)"/.exec(image) ?? [];
  if (!width || !height) return 'data-row="square"';
  return `data-row="${shapeOf(Number(width) / Number(height))}"${Number(width) < MAX_CELL_WIDTH ? " data-small" : ""}`;
}

function shapeOf(ratio: number): "tall" | "square" | "wide" | "long" {
  if (ratio < 0.85) return "tall";
  if (ratio < 1.2) return "square";
  return ratio < 1.9 ? "wide" : "long";
}

function withSizes(image: string, sizes: string): string {
  return image.replace(/ sizes="[^"]*"/, ` sizes="${sizes}"`);
}

function loadedAtOnce(image: string): string {
  return image.replace(' loading="lazy" decoding="async"', ' fetchpriority="high"');
}

function linked(image: string): Html {
  const address = / src="([^"]*)"/.exec(image)?.[1] ?? "";
  const isUnnamed = / alt=""/.test(image);
  return html`<a class="picture" href="${raw(address)}"${overPlaceholder(address)}${
    isUnnamed && raw(' aria-label="View image"')
  }>${raw(image)}</a>`;
}
