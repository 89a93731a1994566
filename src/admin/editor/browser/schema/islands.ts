import { Node } from "@tiptap/core";
import { documentOnly } from "./preserved-markup";
import { shownHtml } from "./shown-html";

/** HTML that the editor can't edit. Users can only move or delete it. */
export const island = islandNode("island", "div");
export const inlineIsland = islandNode("inlineIsland", "span");

function islandNode(name: string, tag: "div" | "span") {
  const isInline = tag === "span";
  return Node.create({
    name,
    group: isInline ? "inline" : "block",
    inline: isInline,
    atom: true,
    draggable: true,
    addAttributes: () => ({ html: { ...documentOnly(""), parseHTML: (element) => element.dataset.island } }),
    parseHTML: () => [{ tag: `${tag}[data-island]`, priority: 100 }],
    renderHTML: ({ node }) => [tag, { "data-island": node.attrs.html }],
    addNodeView:
      () =>
      ({ node }) => {
        const dom = document.createElement(tag);
        dom.className = isInline ? "inline-island" : "island";
        if (!isInline) dom.role = "group";
        if (!isInline) dom.ariaLabel = "Unsupported HTML";
        dom.append(shownHtml(node.attrs.html));
        return { dom, ignoreMutation: () => true };
      },
  });
}
