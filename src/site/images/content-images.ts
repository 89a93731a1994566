import type { Blog } from "../../blogs/blogs";
import { type Html, html, raw } from "../../html";
import { placeholdersIn } from "../../media/images/placeholders";
import type { Platen } from "../../platen";
import { withBase } from "../../posts/post/stored-addresses";
import { themeNamed } from "../../themes/themes";
import { accessibleContent } from "../text/accessible-content";

/** An image as src/posts/content/attachment-figures.ts writes it: attribute values hold neither `"` nor `>`. */
const FIGURE =
  /<figure class="attachment attachment-image"[^>]*>(<img[^>]*>)(<figcaption>[^<]*<\/figcaption>)?<\/figure>/;
const EACH_IMAGE = /<figure class="attachment attachment-image"([^>]*)>(<img[^>]*>)/g;
/** Images that follow each other, with nothing but white space between. */
const GALLERY = new RegExp(`(?:${FIGURE.source}\\s*){2,}`, "g");
const FOLDER = /\ssrc="\/media\/([^/"]+)\//;

/** `sizes` of an image in a gallery, in every theme. */
const GALLERY_SIZES = "(min-width: 46rem) 24rem, 50vw";

/**
 * A post's stored HTML as a page shows it: images that follow each other form a gallery, each lies over its blurred
 * placeholder and links to the file itself, and keyboards reach everything. Feeds and the API get the stored HTML.
 * @param isAtTop the page begins with it: its first image is loaded at once, the others lazily
 */
export function contentForPage(platen: Platen, blog: Blog, stored: string, isAtTop: boolean): Html {
  const content = accessibleContent(withBase(stored, "")).replace(GALLERY, gallery);
  const folders = [...content.matchAll(EACH_IMAGE)].map(([, , image]) => folderOf(image as string));
  if (folders.length === 0) return raw(content);
  const { imageSizes } = themeNamed(blog.theme);
  const placeholders = placeholdersIn(platen, folders);
  let number = 0;
  return raw(
    content.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
      const isFirst = isAtTop && number++ === 0;
      const shown = attributes.includes(" data-row") ? image : withSizes(image, imageSizes);
      return `<figure class="attachment attachment-image"${attributes}>${
        linkedOverPlaceholder(isFirst ? loadedAtOnce(shown) : shown, placeholders.get(folderOf(image))).markup
      }`;
    }),
  );
}

function folderOf(image: string): string {
  return FOLDER.exec(image)?.[1] ?? "";
}

/** All images of a row are equally high: the stylesheet makes each as wide as its `data-row` says. */
function gallery(images: string): string {
  const figures = images.replace(EACH_IMAGE, (_, attributes: string, image: string) => {
    return `<figure class="attachment attachment-image"${attributes} data-row="${shapeOf(image)}">${withSizes(image, GALLERY_SIZES)}`;
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

function withSizes(image: string, sizes: string): string {
  return image.replace(/ sizes="[^"]*"/, ` sizes="${sizes}"`);
}

function loadedAtOnce(image: string): string {
  return image.replace(' loading="lazy" decoding="async"', ' fetchpriority="high"');
}

function linkedOverPlaceholder(image: string, placeholder: string | undefined): Html {
  const address = / src="([^"]*)"/.exec(image)?.[1] ?? "";
  const isUnnamed = / alt=""/.test(image);
  return html`<a class="picture" href="${raw(address)}"${isUnnamed && raw(' aria-label="The picture alone"')}>${
    placeholder && placeholderImage(placeholder)
  }${raw(image)}</a>`;
}

/** Its attributes make it one pixel large, so that it stays unseen where the HTML is shown without our stylesheet. */
export function placeholderImage(placeholder: string): Html | null {
  if (!placeholder) return null;
  return html`<img class="placeholder" src="${placeholder}" alt="" width="1" height="1" aria-hidden="true">`;
}
