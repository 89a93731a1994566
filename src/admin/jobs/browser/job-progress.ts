import { readOut } from "../../layout/browser/toasts";

/** In milliseconds. */
const ASKED_EVERY = 1000;

/** The page of a job follows it until it ends. */
async function follow(): Promise<void> {
  const part = document.getElementById("job");
  if (!part?.hasAttribute("data-under-way")) return;
  const fresh = await asked();
  if (fresh) exchange(part, fresh);
  setTimeout(follow, ASKED_EVERY);
}

/** Null where the server cannot be reached now. */
async function asked(): Promise<HTMLElement | null> {
  try {
    const answer = await fetch(location.href);
    // Signed out meanwhile: the sign-in page is to be seen, not searched.
    if (answer.redirected) location.reload();
    if (!answer.ok) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("job");
  } catch {
    return null;
  }
}

/** The button that may have the focus stays until there is none. */
function exchange(part: HTMLElement, fresh: HTMLElement): void {
  const isButtonThere = (one: HTMLElement) => one.querySelector("button") !== null;
  if (isButtonThere(part) && isButtonThere(fresh))
    for (const name of [".about", ".progress"])
      part.querySelector(name)?.replaceWith(...fresh.querySelectorAll(name));
  else part.replaceWith(fresh);
  if (!fresh.hasAttribute("data-under-way"))
    readOut(fresh.querySelector(".lead")?.textContent ?? "It has ended.");
}

setTimeout(follow, ASKED_EVERY);
