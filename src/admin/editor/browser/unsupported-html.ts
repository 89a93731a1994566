import { Node as TiptapNode } from "@tiptap/core";
import { element } from "./elements-and-icons";
import { nodesOf } from "./html-parsing";
import { documentOnly } from "./preserved-markup";

/** HTML that the editor can't edit. Users can only move or delete it. */
export const island = islandNode("island", "div");
export const inlineIsland = islandNode("inlineIsland", "span");

function islandNode(name: string, tag: "div" | "span") {
  const isInline = tag === "span";
  return TiptapNode.create({
    name,
    group: isInline ? "inline" : "block",
    inline: isInline,
    atom: true,
    draggable: true,
    addAttributes: () => ({ html: { ...documentOnly(""), parseHTML: ({ dataset }) => dataset.island } }),
    parseHTML: () => [{ tag: `${tag}[data-island]`, priority: 100 }],
    renderHTML: ({ node }) => [tag, { "data-island": node.attrs.html }],
    addNodeView:
      () =>
      ({ node }) => {
        const look = isInline
          ? { className: "inline-island" }
          : { className: "island", role: "group", ariaLabel: "Unsupported HTML" };
        return { dom: element(tag, look, shownNodes(nodesOf(node.attrs.html))), ignoreMutation: () => true };
      },
  });
}

const SHOWN = new Set(
  `a abbr article aside b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div dl dt em
  figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li mark ol p pre q rb rp rt rtc ruby s samp section
  small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`.split(/\s+/),
);
const ATTRIBUTES = ["lang", "dir", "title", "colspan", "rowspan", "start", "reversed", "value", "open"];
const HIDDEN = new Set(
  "script style template noscript object svg math select textarea button title".split(" "),
);

/** Renders uneditable HTML with no scripts, no form fields and no requests to other servers. */
function shownNodes(nodes: Iterable<Node>): DocumentFragment {
  const shown = document.createDocumentFragment();
  for (const child of nodes) {
    if (child instanceof Text) shown.append(child.data);
    else if (child instanceof Element) shown.append(shownElement(child));
  }
  return shown;
}

function shownElement(source: Element): Node {
  const name = source.localName;
  if (HIDDEN.has(name)) return document.createDocumentFragment();
  const address = source.getAttribute("src") ?? source.querySelector("source")?.getAttribute("src") ?? "";
  const url = URL.parse(address, location.href);
  const alt = source.getAttribute("alt") ?? "";
  if (name === "img" && address && url?.origin === location.origin)
    return element("img", { src: address, alt });
  if (Object.hasOwn(WORDS, name)) {
    const description = alt || source.getAttribute("filename") || url?.host;
    return element("span", "chip", `${WORDS[name]}${description ? `: ${description}` : ""}`);
  }
  if (name === "input") return new Text(source.hasAttribute("checked") ? "☑" : "☐");
  if (!SHOWN.has(name)) return shownNodes(source.childNodes);
  const shown = document.createElement(name === "a" ? "span" : name);
  if (name === "a") shown.className = "link";
  for (const attribute of ATTRIBUTES) {
    const value = source.getAttribute(attribute);
    if (value !== null) shown.setAttribute(attribute, value);
  }
  shown.append(shownNodes(source.childNodes));
  return shown;
}

const WORDS: Record<string, string> = {
  img: "Picture",
  video: "Video",
  audio: "Sound",
  iframe: "Player",
  "action-text-attachment": "File",
};
