/** From here on it stands beside the text; editor.css has the same. */
const BESIDE = "(min-width: 80rem)";
/** In seconds. */
const YEAR = 31_536_000;

/** The way in the page's head opens and shuts the panel; where it stands beside the text, it stays as it was left. */
export function keepPanel(form: HTMLFormElement): void {
  const panel = form.querySelector<HTMLDetailsElement>("details.post-panel");
  const way = form.querySelector<HTMLAnchorElement>("a[data-settings]");
  const summary = panel?.querySelector("summary");
  if (!panel || !way || !summary) return;
  const show = () => way.setAttribute("aria-expanded", String(panel.open));
  way.setAttribute("aria-controls", panel.id);
  show();
  way.addEventListener("click", (event) => {
    event.preventDefault();
    panel.open = !(panel.open && matchMedia(BESIDE).matches);
    if (!panel.open) return;
    summary.focus({ preventScroll: true });
    if (!matchMedia(BESIDE).matches) summary.scrollIntoView();
  });
  panel.addEventListener("toggle", () => {
    show();
    if (!matchMedia(BESIDE).matches) return;
    keep(panel.open ? "open" : "shut");
    if (!panel.open && document.activeElement === summary) way.focus();
  });
}

/** The server reads it, so that nothing moves when the page comes (see session-cookie). */
function keep(how: string): void {
  const isSecure = location.protocol === "https:";
  const name = `${isSecure ? "__Host-" : ""}platen_panel`;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is there over https only
  document.cookie = `${name}=${how}; path=/; max-age=${YEAR}; samesite=lax${isSecure ? "; secure" : ""}`;
}
