import { type Editor, findChildren, Node, type NodeViewRenderer } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import type { Node as Content } from "@tiptap/pm/model";
import { TextSelection } from "@tiptap/pm/state";
import { endOfText } from "./block-keys";
import { button, drawing, element, isForControl, onKeys } from "./elements-and-icons";
import { asDataAttribute } from "./preserved-markup";
import type { StoredFile, UploadQueue } from "./uploads";

export interface Card {
  url: string;
  title: string;
  description: string;
  site: string;
  picture: CardPicture | null;
}

export type CardPicture = Record<string, string> & { sgid: string };

/** `card` is null until the user has entered a link. */
export const bookmark = Node.create({
  name: "bookmark",
  group: "block",
  atom: true,
  draggable: true,
  addAttributes: () => ({ card: asDataAttribute<Card | null>("card", null) }),
  parseHTML: () => [{ tag: "div.bookmark[data-kept-card]" }],
  renderHTML: ({ HTMLAttributes }) => ["div", { ...HTMLAttributes, class: "bookmark" }],
});

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
const NEW_PLAYER = { width: "560", height: "315", allowfullscreen: "", loading: "lazy" };

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

/** As returned by src/admin/editor/upload-routes.ts. */
type LinkDetails = Pick<Card, "title" | "description" | "site"> & { picture: StoredFile | null };

async function fetchDetails(queue: UploadQueue, url: string): Promise<LinkDetails | null> {
  const { form, token, files } = queue;
  const body = new URLSearchParams({ token, address: url });
  const response = await fetch(form.dataset.links ?? "", { method: "POST", body }).catch(() => null);
  const details: LinkDetails | null = response?.ok ? (await response.json()).details : null;
  if (details?.picture) files.set(details.picture.sgid, details.picture);
  return details;
}

/** Replaces a pasted link by a card, unless the user has changed the link since. Undo restores the link. */
export async function replaceLinkWithCard(editor: Editor, queue: UploadQueue, url: string): Promise<void> {
  const details = await fetchDetails(queue, url);
  if (editor.isDestroyed) return;
  const { doc } = editor.state;
  const links = findChildren(doc, (node) => isLinkAlone(node, url));
  const link = links.find(({ pos }) => doc.resolve(pos).depth === 0);
  if (!link) return;
  if (!details) return notifyOfLink(queue, url);
  const { state, view } = editor;
  const at = link.pos;
  const end = at + link.node.nodeSize;
  const tr = closeHistory(state.tr);
  const isInside = state.selection.from > at && state.selection.to < end;
  tr.replaceWith(at, end, cardNode(state.schema, url, details));
  if (isInside) {
    if (at + 1 === endOfText(tr.doc)) tr.insert(at + 1, state.schema.node("paragraph"));
    tr.setSelection(TextSelection.near(tr.doc.resolve(at + 1)));
  }
  view.dispatch(tr);
  // Ends the undo step, so that undoing the card keeps text typed afterwards.
  view.dispatch(closeHistory(view.state.tr));
}

function notifyOfLink(queue: UploadQueue, url: string): void {
  queue.notify(`No title was found at ${url}. It was kept as a link.`);
}

export function insertPlayer(editor: Editor, queue: UploadQueue, src: string, url: string): boolean {
  const isInserted = editor.commands.insertContent({ type: "embed", attrs: { src, kept: NEW_PLAYER } });
  void fillPlayer(editor, queue, src, url);
  return isInserted;
}

async function fillPlayer(editor: Editor, queue: UploadQueue, src: string, url: string): Promise<void> {
  // Without a title, the player would contact the video service when the page opens.
  const { title, picture } = (await fetchDetails(queue, url)) ?? { title: hostOf(src), picture: null };
  if (editor.isDestroyed) return;
  const { tr, doc } = editor.state;
  const [player] = findChildren(
    doc,
    ({ type, attrs }) => type.name === "embed" && attrs.src === src && !attrs.title,
  );
  if (!player) return;
  const { attrs } = player.node;
  const kept = { ...attrs.kept, title };
  tr.setNodeMarkup(player.pos, null, { ...attrs, title, picture: elementOf(picture), kept });
  editor.view.dispatch(tr.setMeta("addToHistory", false));
}

function elementOf(file: StoredFile | null): CardPicture | null {
  return file && { sgid: file.sgid, "content-type": file.contentType, filename: file.filename };
}

function cardNode(schema: Editor["schema"], url: string, { picture, ...details }: LinkDetails): Content {
  return schema.node("bookmark", { card: { url, ...details, picture: elementOf(picture) } });
}

export function linkNode(schema: Editor["schema"], url: string): Content {
  return schema.node("paragraph", null, schema.text(url, [schema.mark("link", { href: url })]));
}

function isLinkAlone(node: Content, url: string): boolean {
  const isAlone = node.type.name === "paragraph" && node.childCount === 1 && node.textContent === url;
  return isAlone && node.firstChild?.marks.some(({ attrs }) => attrs.href === url) === true;
}

export function webAddress(text: string): string | null {
  return /^https?:\/\/[^\s<>"]{3,2000}$/.test(text) && URL.canParse(text) ? text : null;
}

/** Card pictures need no alt text, because the title is next to them. */
export function cardPictures({ state }: Editor): CardPicture[] {
  const pictureOf = ({ attrs }: Content) => attrs.card?.picture ?? attrs.picture;
  return findChildren(state.doc, pictureOf).map(({ node }) => pictureOf(node));
}

export const cardView =
  (queue: UploadQueue): NodeViewRenderer =>
  ({ node, editor, getPos }) => {
    const dom = element("div", node.type.name === "embed" ? "card player" : "card");
    const at = () => getPos() ?? 0;
    const replace = (replacement: Content | null) => {
      const { tr } = editor.state;
      if (replacement) tr.replaceWith(at(), at() + 1, replacement);
      else tr.delete(at(), at() + 1);
      editor.view.dispatch(tr.scrollIntoView());
      editor.view.focus();
    };
    const show = () => {
      const { card, src, title, picture } = node.attrs;
      if (node.type.name === "bookmark" && !card)
        return void dom.replaceChildren(linkForm(editor, queue, replace));
      const address: string = card?.url ?? src;
      const file = pictureIn(queue, card ? card.picture : picture);
      const texts = card
        ? cardTexts(card)
        : [element("strong", {}, title || hostOf(address)), element("small", {}, address)];
      const showAsLink = () => replace(linkNode(editor.schema, address));
      const tools = element("div", "media-tools");
      if (card) tools.append(button("Show as link", showAsLink, drawing("link")));
      tools.append(button("Remove", () => replace(null), drawing("remove")));
      dom.replaceChildren(...(file ? [file] : []), element("div", "texts", ...texts), tools);
    };
    show();
    queue.listeners.add(show);
    return {
      dom,
      stopEvent: isForControl,
      ignoreMutation: () => true,
      destroy: () => queue.listeners.delete(show),
    };
  };

function cardTexts({ title, description, site }: Card): HTMLElement[] {
  const lines = [element("strong", {}, title), element("span", {}, description), element("small", {}, site)];
  return lines.filter(({ textContent }) => textContent);
}

function hostOf(address: string): string {
  return address.includes("vimeo") ? "Vimeo" : "YouTube";
}

function pictureIn(queue: UploadQueue, picture: CardPicture | null): HTMLImageElement | null {
  const file = picture && queue.fileWith(picture.sgid);
  return file ? element("img", { src: file.thumbnail, alt: "" }) : null;
}

function linkForm(
  editor: Editor,
  queue: UploadQueue,
  replace: (replacement: Content | null) => void,
): HTMLElement {
  // Not of type "url", because an incomplete address would block Preview and Publish.
  const field = element("input", {
    inputMode: "url",
    placeholder: "Paste a link",
    ariaLabel: "Link address",
  });
  const add = async () => {
    const typed = field.value.trim();
    const url = webAddress(/^https?:/i.test(typed) ? typed : `https://${typed}`);
    if (!url) return field.focus();
    const { schema } = editor;
    const src = playerOf(url);
    if (src) {
      replace(schema.node("embed", { src, kept: NEW_PLAYER }));
      return void fillPlayer(editor, queue, src, url);
    }
    field.disabled = true;
    const details = await fetchDetails(queue, url);
    if (!field.isConnected) return;
    if (!details) notifyOfLink(queue, url);
    replace(details ? cardNode(schema, url, details) : linkNode(schema, url));
  };
  onKeys(field, {
    Enter: () => void add(),
    Escape: () => replace(null),
    Backspace: () => field.value === "" && replace(null),
  });
  setTimeout(() => field.isConnected && field.focus());
  return element(
    "div",
    "link-form",
    field,
    button("Add", () => void add()),
  );
}
