/** After the last key, in milliseconds. */
const CALM = 600;
const NAME = "page-beside";

/** The page as readers would see it, beside the text, where there is room. */
export function showPageBeside(form: HTMLFormElement, preview: HTMLButtonElement): void {
  const frame = document.createElement("iframe");
  frame.name = NAME;
  frame.title = "The page";
  frame.className = "page-beside";
  form.querySelector(".content-field")?.append(frame);
  const button = preview.cloneNode() as HTMLButtonElement;
  button.formTarget = NAME;
  button.hidden = true;
  form.append(button);
  let scrolled = 0;
  let calm: ReturnType<typeof setTimeout> | undefined;
  let isShowing = false;
  let isOutdated = false;
  /** One after the other: a server that is slow is not asked more than it can answer. */
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
    clearTimeout(calm);
    calm = setTimeout(show, CALM);
  };
  form.addEventListener("input", showLater);
  // A browser forgets a submission that it has not begun with yet for the next one of the same form: Publish for ours, ours
  // for Preview.
  form.addEventListener("submit", ({ submitter }) => {
    if (submitter === button) return;
    isShowing = false;
    isOutdated = false;
    showLater();
  });
  show();
}
