/**
 * @param onSignedOut called if the server redirects, for example to the sign-in page
 * @returns null if the server redirects or reports an error, or if the request fails
 */
export async function fetchPage(
  address: string,
  signal: AbortSignal | null,
  onSignedOut = () => {},
): Promise<Document | null> {
  try {
    const response = await fetch(address, { signal });
    if (response.redirected) onSignedOut();
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return null;
  }
}

const DEBOUNCE_MS = 180;

/** `data-follow` lists the ids of the elements to replace while the user types. */
export function followForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-follow]")) follow(form);
}

function follow(form: HTMLFormElement): void {
  let timer = 0;
  let request = new AbortController();
  const update = async () => {
    request.abort();
    request = new AbortController();
    const address = formAddress(form);
    const page = await fetchPage(address, request.signal, () => location.assign(address));
    if (!page) return;
    replaceParts(form.dataset.follow?.split(" ") ?? [], page);
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(update, DEBOUNCE_MS);
  });
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    if ((event.submitter as HTMLButtonElement | null)?.formMethod === "post") return;
    event.preventDefault();
    update();
  });
}

export async function reloadParts(ids: string[]): Promise<void> {
  const page = await fetchPage(location.href, null, () => location.reload());
  if (page) replaceParts(ids, page);
}

function formAddress(form: HTMLFormElement): string {
  const filled = [...new FormData(form)].filter(([, value]) => typeof value === "string" && value !== "");
  const query = new URLSearchParams(filled as [string, string][]);
  return query.size > 0 ? `${form.action}?${query}` : form.action;
}

/** Changes only the text of status elements, because screen readers do not announce a new element. */
function replaceParts(ids: string[], page: Document): void {
  for (const id of ids) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (!old || !fresh) continue;
    if (old.role === "status") old.textContent = fresh.textContent;
    else old.replaceChildren(...fresh.childNodes);
  }
  document.dispatchEvent(new Event("exchanged"));
}
