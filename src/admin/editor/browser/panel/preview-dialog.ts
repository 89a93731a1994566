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
  const frame = element("iframe");
  Object.assign(frame, { name: NAME, title: "Preview" });
  const stage = element("div", "stage");
  stage.append(frame);
  const dialog = element("dialog", "reader-view");
  dialog.setAttribute("aria-label", "Preview");

  let width = WIDTHS.Desktop;
  const fit = () => {
    const scale = Math.min(1, stage.clientWidth / width);
    frame.style.width = `${width}px`;
    frame.style.height = `${stage.clientHeight / scale}px`;
    frame.style.transform = `scale(${scale})`;
  };
  const widthButtons = Object.entries(WIDTHS).map(([name, wide]) =>
    button(name, null, () => {
      width = wide;
      show();
    }),
  );
  const show = () => {
    for (const [at, wide] of Object.values(WIDTHS).entries())
      widthButtons[at]?.setAttribute("aria-pressed", String(wide === width));
    fit();
  };
  const bar = element("div", "reader-bar");
  const widths = element("div", "widths");
  widths.setAttribute("role", "group");
  widths.setAttribute("aria-label", "Width");
  widths.append(...widthButtons);
  bar.append(
    widths,
    button("Close", null, () => dialog.close()),
  );
  dialog.append(bar, stage);
  new ResizeObserver(fit).observe(stage);
  form.after(dialog);
  return () => {
    width = innerWidth < WIDTHS.Desktop / 2 ? WIDTHS.Phone : WIDTHS.Desktop;
    dialog.showModal();
    show();
  };
}
