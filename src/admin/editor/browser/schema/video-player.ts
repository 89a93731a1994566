import { Node } from "@tiptap/core";
import type { CardPicture } from "./callouts-toggles-and-cards";
import { asDataAttribute } from "./preserved-markup";

/**
 * A YouTube or Vimeo player. The editor shows a card instead, so that it sends no requests to other servers.
 */
export const embed = Node.create({
  name: "embed",
  group: "block",
  atom: true,
  draggable: true,
  addAttributes: () => ({
    src: { default: "", parseHTML: (element) => element.dataset.embed ?? element.getAttribute("src") },
    /** Title of the card; "" for a plain `iframe`. */
    title: asDataAttribute("title", ""),
    picture: asDataAttribute<CardPicture | null>("picture", null),
  }),
  parseHTML: () => [
    { tag: "div[data-embed]", priority: 100 },
    { tag: "iframe[src]", getAttrs: (element) => (isPlayer(element.getAttribute("src") ?? "") ? {} : false) },
  ],
  renderHTML: ({ node, HTMLAttributes }) => ["div", { ...HTMLAttributes, "data-embed": node.attrs.src }],
});

const PLAYERS = [
  /^https:\/\/www\.youtube(?:-nocookie)?\.com\/embed\/[\w-]+/,
  /^https:\/\/player\.vimeo\.com\/video\/\d+/,
];

export function isPlayer(address: string): boolean {
  return PLAYERS.some((player) => player.test(address));
}

/** Attributes that the sanitizer allows for a player. */
export const NEW_PLAYER = { width: "560", height: "315", allowfullscreen: "", loading: "lazy" };

export function playerOf(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const host = url.hostname.replace(/^(www|m)\./, "");
  const youtube =
    host === "youtu.be"
      ? url.pathname.slice(1)
      : host === "youtube.com"
        ? (url.searchParams.get("v") ?? /^\/(?:shorts|live|embed)\/([\w-]+)/.exec(url.pathname)?.[1])
        : null;
  if (youtube && /^[\w-]{6,20}$/.test(youtube)) return `https://www.youtube-nocookie.com/embed/${youtube}`;
  const vimeo = host === "vimeo.com" ? /^\/(\d+)/.exec(url.pathname)?.[1] : null;
  return vimeo ? `https://player.vimeo.com/video/${vimeo}` : null;
}
