import { Extension } from "@tiptap/core";
import { Fragment, Slice } from "@tiptap/pm/model";
import { Plugin, TextSelection } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { WrittenContent } from "../document/opening-and-saving";
import { playerOf } from "../schema/video-player";
import { type LinkCards, linkNode, webAddress } from "./link-cards";
import { cleanPastedHtml, type PictureAttributes } from "./pasted-html";

const MARKDOWN =
  /^(#{1,6} |[-*+] |\d+[.)] |> |```|\|.+\|$|- \[[ x]\] )|\*\*[^*\s][^*]*\*\*|\[[^\]]+\]\([^)\s]+\)|(?<!`)`[^`\s][^`]*`(?!`)/m;

async function pasteMarkdown(view: EditorView, text: string): Promise<void> {
  const reader = await loadMarkdownParser().catch(() => null);
  if (view.isDestroyed) return;
  if (!reader) return void view.pasteText(text);
  const blocks = new WrittenContent(view.state.schema, () => ({})).read(reader.htmlOfPasted(text));
  // A paragraph at the start or end merges with the text at the cursor.
  const [start, end] = [blocks[0], blocks.at(-1)].map((block) => (block?.type.name === "paragraph" ? 1 : 0));
  const slice = new Slice(Fragment.fromArray(blocks), start ?? 0, end ?? 0);
  view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView());
}

function loadMarkdownParser(): Promise<typeof import("./markdown-parser")> {
  const { href } = document.querySelector("link[data-later=markdown-reader]") as HTMLLinkElement;
  return import(href);
}

export const smartPaste = (cards: LinkCards, picture: PictureAttributes) =>
  Extension.create({
    name: "cleverPaste",
    priority: 1000,
    addProseMirrorPlugins() {
      const { editor } = this;
      return [
        new Plugin({
          props: {
            transformPastedHTML: (html) => cleanPastedHtml(html, picture),
            handlePaste: (view, { clipboardData }) => {
              const text = clipboardData?.getData("text/plain").trim() ?? "";
              const html = clipboardData?.getData("text/html") ?? "";
              const { $from, empty } = view.state.selection;
              if ($from.parent.type.spec.code || !text) return false;
              const address = webAddress(text);
              if (address && !empty) return editor.commands.setMark("link", { href: address });
              const isEmptyLine =
                empty && $from.parent.type.name === "paragraph" && $from.parent.content.size === 0;
              const player = playerOf(text);
              if (player && isEmptyLine) return cards.insertPlayer(editor, player, text);
              if (address && isEmptyLine && $from.depth === 1) {
                const { schema, tr } = view.state;
                tr.replaceWith($from.before(), $from.after(), linkNode(schema, address));
                view.dispatch(tr.setSelection(TextSelection.create(tr.doc, $from.pos + address.length)));
                void cards.cardFor(editor, address);
                return true;
              }
              if (html || !MARKDOWN.test(text)) return false;
              void pasteMarkdown(view, text);
              return true;
            },
          },
        }),
      ];
    },
  });
