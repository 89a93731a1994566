import { Mark } from "@tiptap/core";
import { carried, unseen } from "./kept-attributes";

/** Elements inside a line that the editor has no button for, with all their attributes: abbr, kbd, ruby, `<em lang>`. */
export const keptMark = Mark.create({
  name: "kept",
  excludes: "",
  // Where another mark begins inside of it, it stays one element.
  priority: 1100,
  inclusive: false,
  addAttributes: () => ({
    tag: carried("tag", "span"),
    attributes: carried<Record<string, string>>("attributes", {}),
    /** Which of the elements it is: two that stand side by side stay two. */
    key: unseen(""),
  }),
  parseHTML: () => [
    { tag: "[data-kept-tag], .kept", getAttrs: () => ({ key: newKey() }) },
    ...["abbr", "cite", "del", "dfn", "ins", "kbd", "mark", "q", "samp", "small", "sub", "sup", "var"].map(
      (tag) => ({ tag, getAttrs: () => ({ tag, key: newKey() }) }),
    ),
  ],
  /** Without its attributes: an editor page's policy forbids `style`, and ids there may clash. */
  renderHTML: ({ mark, HTMLAttributes }) => [
    SHOWN.has(mark.attrs.tag) ? mark.attrs.tag : "span",
    { ...HTMLAttributes, class: "kept" },
    0,
  ],
});

const SHOWN = new Set(
  "abbr b bdi bdo cite code del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small strong sub sup time u var".split(
    " ",
  ),
);

let last = 0;
export function newKey(): string {
  return String(++last);
}
