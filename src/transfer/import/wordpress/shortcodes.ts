import { DomUtils } from "htmlparser2";
import { html, raw } from "../../../text/html";
import { documentOf, type Element, elements, outerHtml, wordsIn } from "../content/html-content";
import { playerOrLink } from "../content/video-players";
import { LARGEST_TEXT, SourceFault } from "../sources/source";
import { NOT_THERE, pictureOf, type WordpressFile, type WordpressFiles } from "./wordpress-files";

/** Words in brackets are no shortcodes; what stands here has been seen as one. */
const LOOKS_LIKE_ONE =
  /^(?:contact-form(?:-7)?|[a-z]+[_-][\w-]+|gravityform|wpforms?|ninja_form|slideshow|map|poll|soundcloud|tweet|tiktok|instagram|recipe|toc|button|columns?|tabs?|accordion|toggle)$/;

export function looksLikeShortcode(name: string): boolean {
  return LOOKS_LIKE_ONE.test(name);
}

/** What WordPress shows in its place, as HTML; null: it is none that is known. @param post that it stands in */
export function expandedShortcode(
  code: Shortcode,
  post: string,
  files: WordpressFiles,
  lost: (what: string) => void,
): string | null {
  const { name, attributes, values } = code;
  switch (name) {
    case "caption":
    case "wp_caption":
      return code.inside === null ? "" : captioned(code.inside, attributes.caption);
    case "gallery":
      return gallery(filesNamed(attributes, post, files, lost));
    case "playlist":
      return playlist(attributes, filesNamed(attributes, post, files, lost));
    case "embed":
    case "youtube":
    case "vimeo":
      return `\n\n${playerOrLink(code.inside ?? attributes.src ?? attributes.url ?? values[0]?.replace(/^=/, "") ?? "")}\n\n`;
    case "video":
      return `\n\n${film(attributes.src ?? attributes.mp4 ?? attributes.webm ?? attributes.m4v ?? attributes.mov ?? code.inside ?? "")}\n\n`;
    case "audio":
      return `\n\n${sound(attributes.src ?? attributes.mp3 ?? attributes.m4a ?? attributes.ogg ?? values[0] ?? code.inside ?? "")}\n\n`;
    case "code":
    case "sourcecode":
      return code.inside === null ? null : code_(code.inside, attributes.language ?? attributes.lang ?? "");
    default:
      return null;
  }
}

/** The words below stand in an attribute, or behind the picture. */
function captioned(inside: string, below: string | undefined): string {
  const document = documentOf(inside);
  const [image] = elements(document, "img");
  if (!image) return inside;
  const around = image.parent as Element | null;
  const whole = around && "name" in around && around.name === "a" ? around : image;
  const shown = outerHtml([whole]);
  DomUtils.removeElement(whole);
  const words = wordsIn(below ?? outerHtml(document.children));
  return `\n\n${html`<figure>${raw(shown)}<figcaption>${words}</figcaption></figure>`.markup}\n\n`;
}

function gallery(shown: WordpressFile[]): string {
  const figures = shown
    .map(pictureOf)
    .map(
      ({ address, alt, caption }) =>
        html`<figure><img src="${address}" alt="${alt ?? ""}">${caption && html`<figcaption>${caption}</figcaption>`}</figure>`
          .markup,
    );
  return `\n\n${figures.join("\n\n")}\n\n`;
}

/** Each with its title, as the list beside the player has them. */
function playlist(attributes: Record<string, string>, listed: WordpressFile[]): string {
  const isFilms = attributes.type === "video";
  const isPlayed = isFilms ? FILM : SOUND;
  const played = listed
    .filter(({ address }) => isPlayed.test(address))
    .map(
      ({ address, title }) =>
        `${html`<p>${wordsIn(title)}</p>`.markup}\n\n${isFilms ? film(address) : sound(address)}`,
    );
  return `\n\n${played.join("\n\n")}\n\n`;
}

/** Those that `ids` names, or those that were uploaded to the post. @param lost is told of those that are not there */
function filesNamed(
  attributes: Record<string, string>,
  post: string,
  files: WordpressFiles,
  lost: (what: string) => void,
): WordpressFile[] {
  const named = (attributes.ids ?? attributes.include ?? "").split(/[\s,]+/).filter(Boolean);
  const shown =
    named.length > 0 ? named.map((id) => files.withId(id)) : files.uploadedTo(attributes.id ?? post);
  if (shown.length === 0 || shown.includes(undefined)) lost(`pictures of galleries, ${NOT_THERE}`);
  const left = new Set((attributes.exclude ?? "").split(/[\s,]+/));
  return shown.filter((file) => file !== undefined).filter(({ id }) => !left.has(id));
}

const FILM = /\.(?:mp4|m4v|mov|webm)(?:\?|$)/i;
const SOUND = /\.(?:mp3|m4a|m4b|ogg|oga|opus|wav|flac|aac)(?:\?|$)/i;

function film(address: string): string {
  return FILM.test(address)
    ? html`<video src="${address.trim()}" controls></video>`.markup
    : playerOrLink(address);
}

function sound(address: string): string {
  return address === "" ? "" : html`<audio src="${address.trim()}" controls></audio>`.markup;
}

function code_(inside: string, language: string): string {
  const known = /^[\w+#.-]{1,30}$/.test(language) && html` class="language-${language.toLowerCase()}"`;
  return `\n\n${html`<pre><code${known}>${decoded(inside).replace(/^\n|\n$/g, "")}</code></pre>`.markup}\n\n`;
}

/** Older WordPress stored code with its signs written out. */
function decoded(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|#0?39);/g, (_, name: string) => {
    return { lt: "<", gt: ">", amp: "&", quot: '"' }[name] ?? "'";
  });
}

/** `[name a="b" c]inside[/name]` in a text. */
export interface Shortcode {
  name: string;
  attributes: Record<string, string>;
  /** Those without a name, in order. */
  values: string[];
  /** null: it has no end. */
  readonly inside: string | null;
}

/** In characters, from bracket to bracket. */
const LONGEST_TAG = 2000;
const TAG = /^\[([a-z][\w-]{1,60})(?=[\s\]/=])/i;
const ATTRIBUTE =
  /([\w-]{1,60})=(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"']{1,2000}))|"([^"]{0,2000})"|(\S{1,2000})/g;

/**
 * Replaces the shortcodes that are known.
 * @param replaced what stands in its place; null: it is not known, and left as it stands
 * @throws SourceFault where that is longer than any post can be: each may be a gallery of all there is
 */
export function replaceShortcodes(text: string, replaced: (code: Shortcode) => string | null): string {
  const next = placesIn(text.toLowerCase());
  let done = "";
  let copied = 0;
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) {
    if (at < copied) continue;
    const found = shortcodeAt(text, next, at);
    if (!found || text[at - 1] === "[") continue;
    const html = replaced(found.code);
    if (html === null) continue;
    done += text.slice(copied, at) + html;
    if (done.length > LARGEST_TEXT) throw new SourceFault("is longer than any post can be.");
    copied = found.end();
    at = copied - 1;
  }
  return done + text.slice(copied);
}

/** Where a word stands next, asked from the beginning to the end: it may be far away, and is looked for once. */
function placesIn(text: string): (word: string, from: number) => number {
  const known = new Map<string, number>();
  return (word, from) => {
    const before = known.get(word);
    if (before !== undefined && (before < 0 || before >= from)) return before;
    const at = text.indexOf(word, from);
    known.set(word, at);
    return at;
  };
}

function shortcodeAt(
  text: string,
  next: ReturnType<typeof placesIn>,
  at: number,
): { code: Shortcode; end(): number } | null {
  const [tag, name = ""] = TAG.exec(text.slice(at, at + 80)) ?? [];
  if (tag === undefined) return null;
  const close = text.indexOf("]", at);
  if (close < 0 || close - at > LONGEST_TAG) return null;
  const written = text.slice(at + tag.length, close);
  const isClosed = written.endsWith("/");
  const closing = `[/${name.toLowerCase()}]`;
  const closingAt = () => {
    const end = isClosed ? -1 : next(closing, close);
    // One of the same name that begins before this ends has that end.
    const other = end < 0 ? -1 : next(`[${name.toLowerCase()}`, close);
    return other < 0 || other > end ? end : -1;
  };
  return {
    code: {
      name: name.toLowerCase(),
      ...attributesIn(isClosed ? written.slice(0, -1) : written),
      // Not before it is asked for: of names that nobody knows there may be as many as words.
      get inside() {
        const end = closingAt();
        return end < 0 ? null : text.slice(close + 1, end);
      },
    },
    end() {
      const end = closingAt();
      return end < 0 ? close + 1 : end + closing.length;
    },
  };
}

function attributesIn(text: string): Pick<Shortcode, "attributes" | "values"> {
  const attributes: Record<string, string> = {};
  const values: string[] = [];
  for (const [, name, ...given] of text.replace(/[“”″]/g, '"').matchAll(ATTRIBUTE)) {
    const value = given.find((one) => one !== undefined) ?? "";
    if (name) attributes[name.toLowerCase()] = value;
    else values.push(value);
  }
  return { attributes, values };
}
