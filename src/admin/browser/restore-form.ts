import { showToast } from "./toasts-and-copying";

const KEY = "platen.sent";

interface Sent {
  account: string;
  path: string;
  to: string;
  /** Index of the form among the forms in <main>. */
  index: number;
  /** The CSRF token, which changes with each session. */
  token: string;
  fields: [name: string, value: string][];
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Restores a form that was sent without a valid session, after the owner has signed in again. Passwords are
 * not stored. The post editor has autosave instead.
 */
export function restoreSentForm(): void {
  const sent = takeSent();
  const token = tokenIn(document);
  if (sent && sent.token !== token && sent.account === account()) {
    if (sent.path === location.pathname) restoreValues(sent);
    else storeSent(sent);
  }
  document.addEventListener("submit", ({ target }) => {
    if (!(target instanceof HTMLFormElement) || target.method !== "post" || target.id === "post") return;
    const fields = fieldsOf(target).map((field): [string, string] => [field.name, valueIn(field)]);
    storeSent({
      account: account(),
      path: location.pathname,
      to: target.action,
      token: tokenIn(target),
      index: pageForms().indexOf(target),
      fields,
    });
  });
}

function restoreValues({ to, index, fields }: Sent): void {
  const form = pageForms()[index];
  if (form?.action !== to) return;
  let isChanged = false;
  for (const [at, field] of fieldsOf(form).entries()) {
    const [name, value] = fields[at] ?? [];
    if (value === undefined || name !== field.name || value === valueIn(field)) continue;
    isChanged = true;
    if (isCheckable(field)) field.checked = value === "true";
    else field.value = value;
  }
  if (isChanged) showToast("You were signed out. Your input is back, but not saved yet.");
}

function pageForms(): HTMLFormElement[] {
  return [...document.querySelectorAll<HTMLFormElement>("main form")];
}

function fieldsOf(form: HTMLFormElement): Field[] {
  return [...form.elements].filter(
    (one): one is Field =>
      one instanceof HTMLTextAreaElement ||
      one instanceof HTMLSelectElement ||
      (one instanceof HTMLInputElement && !/^(hidden|password|file|submit|button)$/.test(one.type)),
  );
}

function isCheckable(field: Field): field is HTMLInputElement {
  return field.type === "checkbox" || field.type === "radio";
}

function valueIn(field: Field): string {
  return isCheckable(field) ? String(field.checked) : field.value;
}

function account(): string {
  return document.body.dataset.account ?? "";
}

function tokenIn(place: ParentNode): string {
  return place.querySelector<HTMLInputElement>("input[name=token]")?.value ?? "";
}

function storeSent(sent: Sent): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(sent));
  } catch {
    // Storage is unavailable or full.
  }
}

function takeSent(): Sent | null {
  try {
    const sent = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return JSON.parse(sent ?? "null");
  } catch {
    return null;
  }
}
