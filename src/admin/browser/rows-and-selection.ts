import { followForms } from "./live-filter-and-fetching";
import { announceToScreenReaders } from "./toasts-and-copying";

followForms();
submitRowsInPlace();
countSelection();

/** A button with `data-in-place` submits its form without leaving the list. The row then shows the result. */
function submitRowsInPlace(): void {
  document.addEventListener("submit", (event) => {
    const { target: form, submitter: button } = event;
    if (!(form instanceof HTMLFormElement && button instanceof HTMLButtonElement)) return;
    const row = button.closest("li");
    if (!row || button.dataset.inPlace === undefined) return;
    event.preventDefault();
    finishRow(row, form, button);
  });
}

async function finishRow(row: HTMLElement, form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  if (row.ariaBusy === "true") return;
  row.ariaBusy = "true";
  const page = await sendForm(form, button);
  row.ariaBusy = null;
  const done = page?.querySelector<HTMLElement>("#toasts .toast");
  if (!page || !done) {
    delete button.dataset.inPlace;
    return form.requestSubmit(button);
  }
  const doneRow = document.createElement("li");
  doneRow.className = "done";
  done.querySelector("[data-close]")?.remove();
  done.tabIndex = -1;
  doneRow.append(done);
  row.replaceWith(doneRow);
  updateCounts(page);
  announceToScreenReaders(done.querySelector("p")?.textContent ?? "");
  const undo = done.querySelector<HTMLButtonElement>(".undo");
  (undo ?? done).focus();
  undo?.form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { form } = undo;
    const page = form && (await sendForm(form, undo));
    if (!page) return form?.submit();
    doneRow.replaceWith(row);
    updateCounts(page);
    announceToScreenReaders(page.querySelector("#toasts .toast p")?.textContent ?? "");
    button.focus();
  });
}

async function sendForm(form: HTMLFormElement, button: HTMLButtonElement): Promise<Document | null> {
  try {
    const body = new URLSearchParams([...new FormData(form, button)] as [string, string][]);
    const response = await fetch(form.action, { method: "POST", body });
    const isList = response.ok && response.redirected && new URL(response.url).pathname === location.pathname;
    return isList ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
  } catch {
    return null;
  }
}

/** Relies on both pages having the same links in the same order. */
function updateCounts(page: Document): void {
  for (const links of [".tabs a", ".rail li a", ".bar > *", ".count:not([role])"]) {
    const fresh = page.querySelectorAll(links);
    document.querySelectorAll(links).forEach((link, at) => {
      link.replaceChildren(...(fresh[at]?.childNodes ?? []));
    });
  }
  document.dispatchEvent(new Event("exchanged"));
}

function countSelection(): void {
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.id === "all")
      for (const box of rowBoxes()) box.checked = target.checked;
    showCount();
  });
  document.addEventListener("exchanged", showCount);
  // Browsers change checkboxes after a reset event, and restore them after a page load.
  document.addEventListener("reset", () => setTimeout(showCount));
  addEventListener("pageshow", showCount);
}

function showCount(): void {
  const boxes = rowBoxes();
  const count = boxes.filter(({ checked }) => checked).length;
  const selectAll = document.querySelector<HTMLInputElement>("#all");
  if (selectAll) selectAll.checked = count > 0 && count === boxes.length;
  const output = document.querySelector<HTMLOutputElement>("[data-selected]");
  if (!output) return;
  const isWholeList = document.querySelector<HTMLInputElement>('.bulk [name="all"]')?.checked;
  output.textContent = isWholeList ? "All selected" : `${count} selected`;
}

function rowBoxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('.choice input[name="id"]')];
}
