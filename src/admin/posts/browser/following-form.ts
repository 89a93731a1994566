/** After the last key, in milliseconds. */
const PAUSE = 180;

/** Forms with `data-follow` exchange the parts of the page whose ids it names for what the form would lead to, while they are filled in. */
export function followForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-follow]")) follow(form);
}

function follow(form: HTMLFormElement): void {
  let timer = 0;
  let asked = new AbortController();
  const update = async () => {
    asked.abort();
    asked = new AbortController();
    const address = addressOf(form);
    const page = await pageAt(address, asked.signal);
    if (!page) return;
    exchange(form.dataset.follow?.split(" ") ?? [], page);
    history.replaceState(null, "", address);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(update, PAUSE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    update();
  });
}

/** The same for the page as it is, where something else has changed it. @param ids of the parts that are exchanged */
export async function showAnew(ids: string[]): Promise<void> {
  const page = await pageAt(location.href, new AbortController().signal);
  if (page) exchange(ids, page);
}

/** Without what was left empty, as the server writes it. */
function addressOf(form: HTMLFormElement): string {
  const filled = [...new FormData(form)].filter(([, value]) => typeof value === "string" && value !== "");
  const query = new URLSearchParams(filled as [string, string][]);
  return query.size > 0 ? `${form.action}?${query}` : form.action;
}

/** Null where another answer is waited for by now, or there is none. */
async function pageAt(address: string, signal: AbortSignal): Promise<Document | null> {
  try {
    const answer = await fetch(address, { signal });
    // Signed out meanwhile: the sign-in page is to be seen, not searched.
    if (answer.redirected) location.assign(address);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  } catch {
    return null;
  }
}

/** What tells of the list (role="status") gets new words and stays itself: only then is it read out. */
function exchange(ids: string[], page: Document): void {
  for (const id of ids) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (!old || !fresh) continue;
    if (old.role === "status") old.textContent = fresh.textContent;
    else old.replaceChildren(...fresh.childNodes);
  }
  document.dispatchEvent(new Event("exchanged"));
}
