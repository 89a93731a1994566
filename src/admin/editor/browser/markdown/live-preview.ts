import { element } from "../html/elements";

const DEBOUNCE_MS = 600;
const NAME = "page-beside";

export function showLivePreview(form: HTMLFormElement, preview: HTMLButtonElement): void {
  const frame = element("iframe", { name: NAME, title: "Preview", className: NAME });
  form.querySelector(".content-field")?.append(frame);
  const button = preview.cloneNode() as HTMLButtonElement;
  button.formTarget = NAME;
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
