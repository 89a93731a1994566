import { announceToScreenReaders } from "../../layout/browser/toasts";

const POLL_INTERVAL_MS = 1000;

async function follow(): Promise<void> {
  const part = document.getElementById("job");
  if (!part?.hasAttribute("data-under-way")) return;
  const fresh = await fetchJobPart();
  if (fresh) replaceJobPart(part, fresh);
  setTimeout(follow, POLL_INTERVAL_MS);
}

/** null if the server cannot be reached. */
async function fetchJobPart(): Promise<HTMLElement | null> {
  try {
    const response = await fetch(location.href);
    // A redirect means that the session has ended, so show the sign-in page.
    if (response.redirected) location.reload();
    if (!response.ok) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html").getElementById("job");
  } catch {
    return null;
  }
}

/** Replaces everything but the Cancel button, which may have the focus. */
function replaceJobPart(part: HTMLElement, fresh: HTMLElement): void {
  const isButtonThere = (one: HTMLElement) => one.querySelector("button") !== null;
  if (isButtonThere(part) && isButtonThere(fresh))
    for (const name of [".about", ".progress"])
      part.querySelector(name)?.replaceWith(...fresh.querySelectorAll(name));
  else part.replaceWith(fresh);
  if (!fresh.hasAttribute("data-under-way"))
    announceToScreenReaders(fresh.querySelector(".lead")?.textContent ?? "The job has ended.");
}

setTimeout(follow, POLL_INTERVAL_MS);
