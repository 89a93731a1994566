import { type Editor, findChildren, Node, type NodeViewRenderer } from "@tiptap/core";
import { closeHistory } from "@tiptap/pm/history";
import type { Node as Content } from "@tiptap/pm/model";
import { TextSelection } from "@tiptap/pm/state";
import { endOfText } from "./block-keys";
import { button, drawing, element } from "./elements-and-icons";
import { asDataAttribute } from "./preserved-markup";
import type { FileDetails, StoredFile } from "./uploads";

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

/** As returned by src/admin/editor/upload-routes.ts. */
type LinkDetails = Pick<Card, "title" | "description" | "site"> & { picture: StoredFile | null };

export class LinkCards {
  constructor(readonly fileDetails: FileDetails) {}

  async details(url: string): Promise<LinkDetails | null> {
    const { form, token } = this.fileDetails.queue;
    const body = new URLSearchParams({ token, address: url });
    const response = await fetch(form.dataset.links ?? "", { method: "POST", body }).catch(() => null);
    const details: LinkDetails | null = response?.ok ? (await response.json()).details : null;
    if (details?.picture) this.fileDetails.files.set(details.picture.sgid, details.picture);
    return details;
  }

  /** Replaces a pasted link by a card, unless the user has changed the link since. Undo restores the link. */
  async cardFor(editor: Editor, url: string): Promise<void> {
    const details = await this.details(url);
    if (editor.isDestroyed) return;
    const { doc } = editor.state;
    const links = findChildren(doc, (node) => isLinkAlone(node, url));
    const link = links.find(({ pos }) => doc.resolve(pos).depth === 0);
    if (!link) return;
    if (!details) return this.notifyOfLink(url);
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

  notifyOfLink(url: string): void {
    this.fileDetails.queue.notify(`No title was found at ${url}. It was kept as a link.`);
  }

  insertPlayer(editor: Editor, src: string, url: string): boolean {
    const isInserted = editor.commands.insertContent({ type: "embed", attrs: { src, kept: NEW_PLAYER } });
    void this.fillPlayer(editor, src, url);
    return isInserted;
  }

  async fillPlayer(editor: Editor, src: string, url: string): Promise<void> {
    // Without a title, the player would contact the video service when the page opens.
    const { title, picture } = (await this.details(url)) ?? { title: hostOf(src), picture: null };
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
  (cards: LinkCards): NodeViewRenderer =>
  ({ node, editor, getPos }) => {
    let current = node;
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
      const { card, src, title, picture } = current.attrs;
      if (current.type.name === "bookmark" && !card)
        return void dom.replaceChildren(linkForm(cards, editor, replace));
      const address: string = card?.url ?? src;
      const file = pictureIn(cards.fileDetails, card ? card.picture : picture);
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
    cards.fileDetails.listeners.add(show);
    return {
      dom,
      update: (changed) => {
        if (changed.type !== current.type) return false;
        if (changed.attrs !== current.attrs) {
          current = changed;
          show();
        }
        return true;
      },
      selectNode: () => dom.classList.add("is-selected"),
      deselectNode: () => dom.classList.remove("is-selected"),
      stopEvent: ({ target, type }) =>
        target instanceof HTMLElement && target.closest("input, button") !== null && !/^drag|drop/.test(type),
      ignoreMutation: () => true,
      destroy: () => cards.fileDetails.listeners.delete(show),
    };
  };

function cardTexts({ title, description, site }: Card): HTMLElement[] {
  const lines = [element("strong", {}, title), element("span", {}, description), element("small", {}, site)];
  return lines.filter(({ textContent }) => textContent);
}

function hostOf(address: string): string {
  return address.includes("vimeo") ? "Vimeo" : "YouTube";
}

function pictureIn(fileDetails: FileDetails, picture: CardPicture | null): HTMLImageElement | null {
  if (!picture) return null;
  fileDetails.request(picture.sgid);
  const file = fileDetails.files.get(picture.sgid);
  return file ? element("img", { src: file.thumbnail, alt: "" }) : null;
}

function linkForm(
  cards: LinkCards,
  editor: Editor,
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
      return void cards.fillPlayer(editor, src, url);
    }
    field.disabled = true;
    const details = await cards.details(url);
    if (!field.isConnected) return;
    if (!details) cards.notifyOfLink(url);
    replace(details ? cardNode(schema, url, details) : linkNode(schema, url));
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") void add();
    else if (event.key === "Escape" || (event.key === "Backspace" && field.value === "")) replace(null);
    else return;
    event.preventDefault();
  });
  setTimeout(() => field.isConnected && field.focus());
  const addButton = button("Add", () => void add());
  return element("div", "link-form", field, addButton);
}
