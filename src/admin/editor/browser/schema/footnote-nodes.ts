import { Extension, Node } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { Plugin } from "@tiptap/pm/state";
import { carried, unseen } from "./preserved-markup";

/** A reference number that links to a footnote. The ids are "fn-KEY" and "fnref-KEY". */
const footnoteRef = Node.create({
  name: "footnoteRef",
  group: "inline",
  inline: true,
  atom: true,
  addAttributes: () => ({
    key: { default: "", parseHTML: (element) => element.dataset.footnote },
    number: { ...unseen(0), parseHTML: (element) => Number(element.textContent) },
  }),
  parseHTML: () => [{ tag: "sup[data-footnote]", priority: 100 }],
  renderHTML: ({ node }) => [
    "sup",
    { "data-footnote": node.attrs.key, class: "footnote-ref" },
    String(node.attrs.number),
  ],
});

const footnotes = Node.create({
  name: "footnotes",
  group: "block",
  content: "footnote+",
  isolating: true,
  parseHTML: () => [{ tag: "section.footnotes" }],
  renderHTML: () => ["section", { class: "footnotes", "aria-label": "Footnotes" }, ["ol", 0]],
});

const footnote = Node.create({
  name: "footnote",
  content: "block+",
  isolating: true,
  addAttributes: () => ({
    key: {
      default: "",
      parseHTML: (element) => element.dataset.note ?? element.id.replace(/^fn-/, ""),
      renderHTML: ({ key }) => ({ "data-note": key }),
    },
    kept: carried<Record<string, string> | null>("kept", null),
  }),
  parseHTML: () => [
    { tag: "li[data-note]", priority: 100 },
    { tag: "section.footnotes li", priority: 90 },
  ],
  renderHTML: ({ HTMLAttributes }) => ["li", HTMLAttributes, 0],
});

/** Sorts footnotes by their references, and deletes footnotes without a reference. */
const footnoteOrder = Extension.create({
  name: "footnoteOrder",
  addProseMirrorPlugins: () => [
    new Plugin({
      appendTransaction: (transactions, _before, { doc, schema, tr }) => {
        if (!transactions.some(({ docChanged }) => docChanged)) return null;
        const places: { node: Content; at: number }[] = [];
        let notes: { node: Content; at: number } | null = null;
        doc.descendants((node, at) => {
          if (node.type.name === "footnoteRef") places.push({ node, at });
          if (node.type.name === "footnotes") notes ??= { node, at };
        });
        let isChanged = false;
        const keys = [...new Set(places.map(({ node }) => node.attrs.key as string))];
        for (const { node, at } of places) {
          const number = keys.indexOf(node.attrs.key) + 1;
          if (node.attrs.number === number) continue;
          tr.setNodeAttribute(at, "number", number);
          isChanged = true;
        }
        const found = notes as { node: Content; at: number } | null;
        if (!found && keys.length === 0) return isChanged ? tr : null;
        const byKey = new Map<string, Content>();
        found?.node.forEach((note) => void (byKey.has(note.attrs.key) || byKey.set(note.attrs.key, note)));
        const inOrder = keys.map(
          (key) => byKey.get(key) ?? (schema.nodes.footnote?.createAndFill({ key }) as Content),
        );
        const isInOrder =
          found?.node.childCount === inOrder.length &&
          inOrder.every((note, at) => found.node.child(at) === note);
        if (!isInOrder) {
          isChanged = true;
          const section =
            inOrder.length > 0 ? schema.nodes.footnotes?.create(found?.node.attrs, inOrder) : null;
          const [from, to] = found
            ? [found.at, found.at + found.node.nodeSize]
            : [doc.content.size, doc.content.size];
          if (section) tr.replaceWith(from, to, section);
          else tr.delete(from, to);
        }
        return isChanged ? tr : null;
      },
    }),
  ],
});

export const footnoteNodes = [footnoteRef, footnotes, footnote, footnoteOrder];
