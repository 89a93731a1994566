import { type Editor, findChildren } from "@tiptap/core";
import type { Node as Content } from "@tiptap/pm/model";
import { element, labelled, onKeys } from "./elements-and-icons";
import { cardPictures } from "./link-cards-and-players";
import type { UploadQueue } from "./uploads";

export interface AttachmentAttributes {
  sgid: string;
  filename: string;
  contentType: string;
  caption: string;
  alt: string | null;
  upload: string;
}

export class AttachmentTexts {
  readonly chip = element("button", { type: "button", className: "alt-chip" }, "Alt");
  readonly caption = element("p", "caption-shown");
  private readonly captionField = element("textarea", { className: "caption", rows: 1 });
  private readonly altField = element("textarea", { className: "alt", rows: 1 });
  private readonly decorative = element("input", { type: "checkbox" });
  private readonly decorativeLabel = labelled("Decorative", this.decorative);
  readonly fields = element(
    "div",
    "words",
    element("div", "alt-row", labelled("Alt text", this.altField), this.decorativeLabel),
    labelled("Caption", this.captionField),
  );

  constructor(
    editor: Editor,
    at: () => number,
    private readonly attributes: () => AttachmentAttributes,
  ) {
    const { captionField, altField, decorative } = this;
    for (const field of [altField, captionField])
      onKeys(field, { Enter: ({ shiftKey }) => !shiftKey && editor.commands.focus(at() + 1) });
    captionField.addEventListener("input", () =>
      editor.view.dispatch(editor.state.tr.setNodeAttribute(at(), "caption", oneLine(captionField.value))),
    );
    altField.addEventListener("input", () => setAlt(editor, attributes(), oneLine(altField.value) || null));
    decorative.addEventListener("change", () => setAlt(editor, attributes(), decorative.checked ? "" : null));
    this.fields.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      this.open(false);
      this.chip.focus();
    });
    this.chip.addEventListener("click", () => this.open(this.fields.hidden === true));
    this.open(false);
  }

  open(isOpen: boolean): void {
    this.fields.hidden = !isOpen;
    this.caption.hidden = isOpen || this.caption.textContent === "";
    this.chip.ariaExpanded = String(isOpen);
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
    this.chip.ariaLabel = `Alt text and caption: ${state}`;
  }
}

export function lacksAlt(
  { alt, sgid }: Pick<AttachmentAttributes, "alt" | "sgid">,
  files: UploadQueue["files"],
): boolean {
  const file = files.get(sgid);
  return alt === null && file?.mediaType !== "video" && !file?.caption.trim();
}

/** Alt texts are stored per file, so every place in the post that shows the file gets the alt text. */
function setAlt(editor: Editor, { sgid, upload }: AttachmentAttributes, alt: string | null): void {
  const { tr, doc } = editor.state;
  const isShown = ({ attrs }: Content) => (sgid ? attrs.sgid === sgid : attrs.upload === upload);
  for (const { pos } of findChildren(doc, (node) => node.type.name === "attachment" && isShown(node)))
    tr.setNodeAttribute(pos, "alt", alt);
  editor.view.dispatch(tr);
}

/** Skips unchanged values, because setting a value moves the cursor. */
function setValue(field: HTMLTextAreaElement, value: string): void {
  if (oneLine(field.value) !== value) field.value = value;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export function countMissing(editor: Editor, { form, files, listeners }: UploadQueue): void {
  const place = form.querySelector<HTMLElement>("[data-missing-alt]");
  if (!place) return;
  const findMissing = () =>
    attachmentsIn(editor).filter(({ node: { attrs } }) => attrs.sgid && lacksAlt(attrs as never, files));
  const show = () => {
    const count = findMissing().length;
    if (place.hidden === (count === 0) && place.firstChild?.nodeValue === String(count)) return;
    place.hidden = count === 0;
    place.replaceChildren(String(count), element("span", "words", " without alt text"));
    place.title = place.textContent;
  };
  editor.on("update", show);
  listeners.add(show);
  show();
  place.addEventListener("click", () => {
    const [first] = findMissing();
    const shown = first && editor.view.nodeDOM(first.pos);
    if (!(shown instanceof HTMLElement)) return;
    shown.querySelector<HTMLElement>(".alt-chip[aria-expanded=false]")?.click();
    shown.querySelector<HTMLTextAreaElement>("textarea.alt")?.focus();
  });
}

function attachmentsIn({ state }: Editor) {
  return findChildren(state.doc, ({ type }) => type.name === "attachment");
}

export function addAltTexts(data: FormData, editor: Editor, { files }: UploadQueue): void {
  const add = (sgid: string, alt: string | null) => {
    const filename = files.get(sgid)?.filename;
    if (!filename) return;
    data.append("alt_file", filename);
    data.append("alt", alt ?? "");
    if (alt === "") data.append("decorative", filename);
  };
  const attachments = attachmentsIn(editor).map(({ node }) => node.attrs);
  for (const { sgid, alt } of attachments) add(sgid, alt);
  for (const { sgid } of cardPictures(editor))
    if (!attachments.some((attrs) => attrs.sgid === sgid)) add(sgid, "");
}
