import type { Editor } from "@tiptap/core";
import { element, labelled } from "../html/elements";
import type { StoredFiles } from "./file-details";

export interface AttachmentAttributes {
  sgid: string;
  filename: string;
  contentType: string;
  caption: string;
  alt: string | null;
  upload: string;
}

/** Caption, alt text and Decorative fields of an attachment. */
export class AttachmentWords {
  readonly caption: HTMLElement;
  readonly altRow = element("div", "alt-row");
  private readonly captionField = element("textarea", "caption");
  private readonly altField = element("textarea", "alt");
  private readonly decorative = element("input");
  private readonly decorates: HTMLElement;

  constructor(
    editor: Editor,
    at: () => number,
    private readonly attributes: () => AttachmentAttributes,
  ) {
    const { captionField, altField, decorative } = this;
    for (const field of [altField, captionField]) {
      field.rows = 1;
      field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.shiftKey) return;
        event.preventDefault();
        editor
          .chain()
          .focus(at() + 1)
          .run();
      });
    }
    decorative.type = "checkbox";
    captionField.addEventListener("input", () =>
      editor.view.dispatch(editor.state.tr.setNodeAttribute(at(), "caption", oneLine(captionField.value))),
    );
    altField.addEventListener("input", () => setAlt(editor, attributes(), oneLine(altField.value) || null));
    decorative.addEventListener("change", () => setAlt(editor, attributes(), decorative.checked ? "" : null));
    this.caption = labelled("Caption", captionField);
    this.decorates = labelled("Decorative", decorative);
    this.altRow.append(labelled("Alt text", altField), this.decorates);
  }

  /** @param captionOfFile shown if there is no alt text */
  show(captionOfFile: string): void {
    const { alt, caption } = this.attributes();
    fill(this.altField, alt ?? "");
    fill(this.captionField, caption);
    this.altField.placeholder = captionOfFile;
    this.altField.disabled = alt === "";
    this.decorative.checked = alt === "";
    this.decorates.hidden = Boolean(alt);
  }
}

export function lacksAlt(
  { alt, sgid }: Pick<AttachmentAttributes, "alt" | "sgid">,
  files: StoredFiles,
): boolean {
  const file = files.get(sgid);
  return alt === null && file?.mediaType !== "video" && !file?.caption.trim();
}

/** Sets the alt text at all places that show the file in this post. */
function setAlt(editor: Editor, { sgid, upload }: AttachmentAttributes, alt: string | null): void {
  const { tr, doc } = editor.state;
  doc.descendants((node, at) => {
    if (node.type.name !== "attachment") return;
    if (sgid ? node.attrs.sgid === sgid : node.attrs.upload === upload) tr.setNodeAttribute(at, "alt", alt);
  });
  editor.view.dispatch(tr);
}

/** Skips equal values, because setting a value moves the cursor. */
function fill(field: HTMLTextAreaElement, value: string): void {
  if (oneLine(field.value) !== value) field.value = value;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
