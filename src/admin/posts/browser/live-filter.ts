/** After the last keystroke. */
const DEBOUNCE_MS = 180;

/** Filters a list while the user types: `data-follow` names the ids of the parts that are replaced. */
export function followForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-follow]")) follow(form);
}

function follow(form: HTMLFormElement): void {
  let timer = 0;
  let asked = new AbortController();
  const update = async () => {
    asked.abort();
    asked = new AbortController();
    const address = formAddress(form);
    const page = await fetchPage(address, asked.signal);
    if (!page) return;
    replaceParts(form.dataset.follow?.split(" ") ?? [], page);
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(update, DEBOUNCE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    update();
  });
}

/** Reloads parts of the current page. @param ids of the parts */
export async function reloadParts(ids: string[]): Promise<void> {
  const page = await fetchPage(location.href, new AbortController().signal);
  if (page) replaceParts(ids, page);
}

/** Leaves out empty fields, as the server does. */
function formAddress(form: HTMLFormElement): string {
  const filled = [...new FormData(form)].filter(([, value]) => typeof value === "string" && value !== "");
  const query = new URLSearchParams(filled as [string, string][]);
  return query.size > 0 ? `${form.action}?${query}` : form.action;
}

/** null if the request failed or a newer one replaced it. */
async function fetchPage(address: string, signal: AbortSignal): Promise<Document | null> {
  try {
    const answer = await fetch(address, { signal });
    // Signed out meanwhile: show the sign-in page.
    if (answer.redirected) location.assign(address);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  } catch {
    return null;
  }
}

/** A status element must stay the same element: only then do screen readers announce its new text. */
function replaceParts(ids: string[], page: Document): void {
  for (const id of ids) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (!old || !fresh) continue;
    if (old.role === "status") old.textContent = fresh.textContent;
    else old.replaceChildren(...fresh.childNodes);
  }
  document.dispatchEvent(new Event("exchanged"));
}
