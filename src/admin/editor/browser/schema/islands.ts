import { Node } from "@tiptap/core";
import { documentOnly } from "./preserved-markup";
import { shownHtml } from "./shown-html";

/** HTML that the editor can't edit. It can be moved or deleted, and keeps its exact source. */
export const island = Node.create({
  name: "island",
  group: "block",
  atom: true,
  draggable: true,
  addAttributes: () => ({ html: { ...documentOnly(""), parseHTML: (element) => element.dataset.island } }),
  parseHTML: () => [{ tag: "div[data-island]", priority: 100 }],
  renderHTML: ({ node }) => ["div", { "data-island": node.attrs.html }],
  addNodeView:
    () =>
    ({ node }) => {
      const dom = document.createElement("div");
      dom.className = "island";
      dom.setAttribute("role", "group");
      dom.setAttribute("aria-label", "Unsupported HTML");
      dom.append(shownHtml(node.attrs.html));
      return { dom, ignoreMutation: () => true };
    },
});

export const inlineIsland = Node.create({
  name: "inlineIsland",
  group: "inline",
  inline: true,
  atom: true,
  draggable: true,
  addAttributes: () => ({
    html: { ...documentOnly(""), parseHTML: (element) => element.dataset.inlineIsland },
  }),
  parseHTML: () => [{ tag: "span[data-inline-island]", priority: 100 }],
  renderHTML: ({ node }) => ["span", { "data-inline-island": node.attrs.html }],
  addNodeView:
    () =>
    ({ node }) => {
      const dom = document.createElement("span");
      dom.className = "inline-island";
      dom.append(shownHtml(node.attrs.html));
      return { dom, ignoreMutation: () => true };
    },
});
