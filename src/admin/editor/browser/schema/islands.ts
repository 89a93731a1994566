import { Node } from "@tiptap/core";
import { element } from "../html/elements";
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
        const look = isInline
          ? { className: "inline-island" }
          : { className: "island", role: "group", ariaLabel: "Unsupported HTML" };
        return { dom: element(tag, look, shownHtml(node.attrs.html)), ignoreMutation: () => true };
      },
  });
}
