import { button, element } from "./elements-and-icons";

const DIALOG_FRAME = "reader-view";
const WIDTHS = { Phone: 390, Desktop: 1280 };

export function previewInFrame(form: HTMLFormElement, preview: HTMLButtonElement): void {
  // Created on first use, because an iframe slows down the page.
  let show: (() => void) | undefined;
  preview.formTarget = DIALOG_FRAME;
  preview.addEventListener("click", () => {
    show ??= readerView(form);
    show();
  });
}

function readerView(form: HTMLFormElement): () => void {
  let width = WIDTHS.Desktop;
  const frame = element("iframe", { name: DIALOG_FRAME, title: "Preview" });
  const stage = element("div", "stage", frame);
  const fit = () => {
    const scale = Math.min(1, stage.clientWidth / width);
    frame.style.width = `${width}px`;
    frame.style.height = `${stage.clientHeight / scale}px`;
    frame.style.transform = `scale(${scale})`;
  };
  const buttons = Object.entries(WIDTHS).map(([name, wide]) => button(name, () => show(wide)));
  const show = (chosen: number) => {
    width = chosen;
    for (const [at, wide] of Object.values(WIDTHS).entries())
      (buttons[at] as HTMLElement).ariaPressed = String(wide === width);
    fit();
  };
  const widths = element("div", { className: "widths", role: "group", ariaLabel: "Width" }, ...buttons);
  const close = button("Close", () => dialog.close());
  const bar = element("div", "reader-bar", widths, close);
  const dialog = element("dialog", { className: "reader-view", ariaLabel: "Preview" }, bar, stage);
  new ResizeObserver(fit).observe(stage);
  form.after(dialog);
  return () => {
    dialog.showModal();
    show(innerWidth < WIDTHS.Desktop / 2 ? WIDTHS.Phone : WIDTHS.Desktop);
  };
}

const DEBOUNCE_MS = 600;
const LIVE_FRAME = "page-beside";

export function showLivePreview(form: HTMLFormElement, preview: HTMLButtonElement): void {
  const frame = element("iframe", { name: LIVE_FRAME, title: "Preview", className: LIVE_FRAME });
  form.querySelector(".content-field")?.append(frame);
  const button = preview.cloneNode() as HTMLButtonElement;
  button.formTarget = LIVE_FRAME;
  button.hidden = true;
  form.append(button);
  let scrolled = 0;
  let debounce: ReturnType<typeof setTimeout> | undefined;
  let isShowing = false;
  let isOutdated = false;
  const show = () => {
    if (!frame.checkVisibility()) return;
    isOutdated = isShowing;
    if (isShowing) return;
    isShowing = true;
    scrolled = frame.contentWindow?.scrollY ?? 0;
    form.requestSubmit(button);
  };
  frame.addEventListener("load", () => {
    frame.contentWindow?.scrollTo(0, scrolled);
    isShowing = false;
    if (isOutdated) show();
  });
  const showLater = () => {
    clearTimeout(debounce);
    debounce = setTimeout(show, DEBOUNCE_MS);
  };
  form.addEventListener("input", showLater);
  // Submitting the form cancels a pending preview, so the preview is requested again later.
  form.addEventListener("submit", ({ submitter }) => {
    if (submitter === button) return;
    isShowing = false;
    isOutdated = false;
    showLater();
  });
  show();
}
