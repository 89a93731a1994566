import { html } from "../../../html";
import { type Document, type Element, elements, outerHtml, putInstead } from "./html-pictures";
import { playerOrLink } from "./players";

/** What Substack's scripts would show, and its export holds beside the text: tweets, other posts, films, players. */
export function plainEmbeds(document: Document): void {
  for (const element of elements(document, "div", "iframe", "a")) {
    const classes = element.attribs.class ?? "";
    if (classes === "pullquote")
      putInstead(element, `<blockquote>${outerHtml(element.children)}</blockquote>`);
    else if (/\bfootnote-(?:anchor|number)\b/.test(classes)) nameNote(element);
    else if (element.attribs["data-attrs"] !== undefined) {
      const shown = embedded(classes, known(element.attribs["data-attrs"]));
      if (shown !== "") putInstead(element, shown);
    }
  }
}

/** "footnote-1" → "fn-1", "footnote-anchor-1" → "fnref-1": ids that stay. */
function nameNote(link: Element): void {
  const renamed = (text = "") => text.replace("footnote-anchor-", "fnref-").replace("footnote-", "fn-");
  link.attribs.id = renamed(link.attribs.id);
  link.attribs.href = renamed(link.attribs.href);
}

type Known = Record<string, string>;

function known(json: string): Known {
  try {
    const read = Object.entries(JSON.parse(json) as object);
    return Object.fromEntries(read.filter(([, value]) => typeof value === "string"));
  } catch {
    return {};
  }
}

function embedded(classes: string, { url, canonical_url, title, full_text, name, videoId }: Known): string {
  const address = url ?? canonical_url ?? "";
  if (/\bvimeo-wrap\b/.test(classes)) return playerOrLink(`https://vimeo.com/${videoId ?? ""}`);
  if (!/^https?:/.test(address)) return "";
  if (/\btweet\b/.test(classes))
    return html`<blockquote><p>${full_text ?? ""}</p><p><a href="${address}">${name || address}</a></p></blockquote>`
      .markup;
  if (
    /\b(?:digest-post-embed|embedded-post-wrap|spotify-wrap|apple-podcast-container|soundcloud-wrap)\b/.test(
      classes,
    )
  )
    return html`<p><a href="${address}">${title || address}</a></p>`.markup;
  return "";
}
