import { button, element } from "../html/elements";

const NAME = "reader-view";
const WIDTHS = { Phone: 390, Desktop: 1280 };

export function previewInFrame(form: HTMLFormElement): void {
  const preview = form.querySelector<HTMLButtonElement>("button.preview");
  if (!preview) return;
  // Created on first use, because an iframe slows down the page.
  let show: (() => void) | undefined;
  preview.formTarget = NAME;
  preview.addEventListener("click", () => {
    show ??= readerView(form);
    show();
  });
}

function readerView(form: HTMLFormElement): () => void {
  let width = WIDTHS.Desktop;
  const frame = element("iframe", { name: NAME, title: "Preview" });
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
