import type { Blog } from "../../blogs/blogs";
import { type Html, html, raw } from "../../html";
import { placeholdersIn } from "../../media/images/placeholders";
import type { Platen } from "../../platen";
import { withBase } from "../../posts/post/stored-addresses";
import { themeNamed } from "../../themes/themes";
import { reachable } from "../text/accessible-content";

/** An image as posts/figures writes it: attribute values hold neither `"` nor `>`. */
const FIGURE =
  /<figure class="attachment attachment-image"[^>]*>(<img[^>]*>)(<figcaption>[^<]*<\/figcaption>)?<\/figure>/;
const EACH_IMAGE = /<figure class="attachment attachment-image"([^>]*)>(<img[^>]*>)/g;
/** Pictures that follow each other, with nothing but white space between. */
const ROW = new RegExp(`(?:${FIGURE.source}\\s*){2,}`, "g");
const FOLDER = /\ssrc="\/media\/([^/"]+)\//;

const IN_A_ROW = "(min-width: 46rem) 24rem, 50vw";

/**
 * A post's stored HTML as a page shows it: pictures that follow each other in rows, each over its blurred placeholder
 * and leading to the file itself, and everything within reach of keyboards. Feeds and apps get nothing of this.
 * @param isAtTop the page begins with it, so that its first picture is wanted at once
 */
export function shownContent(platen: Platen, blog: Blog, stored: string, isAtTop: boolean): Html {
  const content = reachable(withBase(stored, "")).replace(ROW, inARow);
  const folders = [...content.matchAll(EACH_IMAGE)].map(([, , image]) => folderOf(image as string));
  if (folders.length === 0) return raw(content);
  const { imageSizes } = themeNamed(blog.theme);
  const placeholders = placeholdersIn(platen, folders);
  let number = 0;
  return raw(
    content.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
      const isFirst = isAtTop && number++ === 0;
      const shown = attributes.includes(" data-row") ? image : resized(image, imageSizes);
      return `<figure class="attachment attachment-image"${attributes}>${
        overPlaceholder(isFirst ? atOnce(shown) : shown, placeholders.get(folderOf(image))).markup
      }`;
    }),
  );
}

function folderOf(image: string): string {
  return FOLDER.exec(image)?.[1] ?? "";
}

/** A row's pictures are equally high: each is as wide as its shape asks, which the stylesheet is told. */
function inARow(row: string): string {
  const figures = row.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
    return `<figure class="attachment attachment-image"${attributes} data-row="${shapeOf(image)}">${resized(image, IN_A_ROW)}`;
  });
  return `<div class="gallery">${figures}</div>`;
}

function shapeOf(image: string): "tall" | "square" | "wide" | "long" {
  const size = / width="(\d+)" height="(\d+)"/.exec(image);
  const ratio = size ? Number(size[1]) / Number(size[2]) : 1;
  if (ratio < 0.85) return "tall";
  if (ratio < 1.2) return "square";
  return ratio < 1.9 ? "wide" : "long";
}

function resized(image: string, sizes: string): string {
  return image.replace(/ sizes="[^"]*"/, ` sizes="${sizes}"`);
}

function atOnce(image: string): string {
  return image.replace(' loading="lazy" decoding="async"', ' fetchpriority="high"');
}

function overPlaceholder(image: string, placeholder: string | undefined): Html {
  const address = / src="([^"]*)"/.exec(image)?.[1] ?? "";
  const isUnnamed = / alt=""/.test(image);
  return html`<a class="picture" href="${raw(address)}"${isUnnamed && raw(' aria-label="The picture alone"')}>${
    placeholder && placeholderImage(placeholder)
  }${raw(image)}</a>`;
}

/** It says it is one pixel large: whoever shows the HTML without our stylesheet shows nothing of it. */
export function placeholderImage(placeholder: string): Html | null {
  if (!placeholder) return null;
  return html`<img class="placeholder" src="${placeholder}" alt="" width="1" height="1" aria-hidden="true">`;
}
