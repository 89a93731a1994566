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

export class AttachmentTexts {
  readonly chip = element("button", "alt-chip");
  readonly fields = element("div", "words");
  readonly caption = element("p", "caption-shown");
  private readonly captionField = element("textarea", "caption");
  private readonly altField = element("textarea", "alt");
  private readonly decorative = element("input");
  private readonly decorativeLabel: HTMLElement;

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
    this.decorativeLabel = labelled("Decorative", decorative);
    const altRow = element("div", "alt-row");
    altRow.append(labelled("Alt text", altField), this.decorativeLabel);
    this.fields.append(altRow, labelled("Caption", captionField));
    this.fields.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.open(false);
      this.chip.focus();
    });
    this.chip.type = "button";
    this.chip.textContent = "Alt";
    this.chip.addEventListener("click", () => this.open(this.fields.hidden === true));
    this.open(false);
  }

  open(isOpen: boolean): void {
    this.fields.hidden = !isOpen;
    this.caption.hidden = isOpen || this.caption.textContent === "";
    this.chip.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) (this.altField.disabled ? this.captionField : this.altField).focus();
  }

  show(captionOfFile: string, isMissing: boolean): void {
    const { alt, caption } = this.attributes();
    setValue(this.altField, alt ?? "");
    setValue(this.captionField, caption);
    this.altField.placeholder = captionOfFile;
    this.altField.disabled = alt === "";
    this.decorative.checked = alt === "";
    this.decorativeLabel.hidden = Boolean(alt);
    this.caption.textContent = caption || captionOfFile;
    this.caption.hidden = !this.fields.hidden || this.caption.textContent === "";
    this.chip.classList.toggle("is-missing", isMissing);
    const state = isMissing ? "missing" : alt === "" ? "decorative" : "described";
    this.chip.setAttribute("aria-label", `Alt text and caption: ${state}`);
  }
}

export function lacksAlt(
  { alt, sgid }: Pick<AttachmentAttributes, "alt" | "sgid">,
  files: StoredFiles,
): boolean {
  const file = files.get(sgid);
  return alt === null && file?.mediaType !== "video" && !file?.caption.trim();
}

/** Alt texts are stored per file, so every place in the post that shows the file gets the alt text. */
function setAlt(editor: Editor, { sgid, upload }: AttachmentAttributes, alt: string | null): void {
  const { tr, doc } = editor.state;
  doc.descendants((node, at) => {
    if (node.type.name !== "attachment") return;
    if (sgid ? node.attrs.sgid === sgid : node.attrs.upload === upload) tr.setNodeAttribute(at, "alt", alt);
  });
  editor.view.dispatch(tr);
}

/** Skips unchanged values, because setting a value moves the cursor. */
function setValue(field: HTMLTextAreaElement, value: string): void {
  if (oneLine(field.value) !== value) field.value = value;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
