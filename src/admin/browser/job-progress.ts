import { fetchPage } from "./live-filter-and-fetching";
import { announceToScreenReaders } from "./toasts-and-copying";

const POLL_INTERVAL_MS = 1000;

async function follow(): Promise<void> {
  const part = document.getElementById("job");
  if (!part?.hasAttribute("data-under-way")) return;
  const page = await fetchPage(location.href, null, () => location.reload());
  const fresh = page?.getElementById("job");
  if (fresh) replaceJobPart(part, fresh);
  setTimeout(follow, POLL_INTERVAL_MS);
}

/** Keeps the Cancel button while the job runs, because the button may have the focus. */
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
