/** Runs the editor in the browser on sources of test/slow/admin/editor/round-trip.test.ts. */
import { Editor } from "@tiptap/core";
import { attachment } from "../../../../src/admin/editor/browser/attachments";
import { schemaExtensions } from "../../../../src/admin/editor/browser/editor-schema";
import { bookmark, embed } from "../../../../src/admin/editor/browser/link-cards-and-players";
import { openContent } from "../../../../src/admin/editor/browser/opening-and-saving";

export interface RoundTrip {
  source: string;
  /** Output without a change. */
  untouched: string;
  /** Output after a paragraph was added at the beginning and removed. */
  takenBack: string;
  /** Output with a paragraph added at the beginning. */
  withParagraph: string;
  /** Name of each block; the content of an island. */
  blocks: string[];
}

function roundTrip(source: string): RoundTrip {
  const element = document.querySelector("main") as HTMLElement;
  const editor = new Editor({
    element,
    injectCSS: false,
    extensions: [...schemaExtensions, attachment, bookmark, embed],
  });
  const content = openContent(editor, source, () => ({}));
  const blocks = editor.state.doc.children.map(({ type, attrs }) =>
    type.name === "island" ? `island ${attrs.html}` : type.name,
  );
  const untouched = content.html(editor.state.doc);
  editor.commands.insertContentAt(0, { type: "paragraph", content: [{ type: "text", text: "New." }] });
  const withParagraph = content.html(editor.state.doc);
  editor.commands.undo();
  const takenBack = content.html(editor.state.doc);
  editor.destroy();
  return { source, untouched, withParagraph, takenBack, blocks };
}

Object.assign(window, { roundTrips: (sources: string[]) => sources.map(roundTrip) });
