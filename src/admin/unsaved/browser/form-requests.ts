import type { KeptHere } from "./local-drafts";

/** Form fields without files and without the CSRF token, which expires with the session. */
export type Fields = KeptHere["fields"];

/** @returns null if the server can't be reached */
export async function sent(address: string, fields: Fields, token: string): Promise<Response | null> {
  try {
    return await fetch(address, { method: "POST", body: bodyOf(fields, token) });
  } catch {
    return null;
  }
}

export function fieldsOf(form: HTMLFormElement): Fields {
  return [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[0] !== "token",
  );
}

export function bodyOf(fields: Fields, token: string): FormData {
  const body = new FormData();
  for (const [name, value] of [["token", token] as const, ...fields]) body.append(name, value);
  return body;
}

export function sizeOf(body: FormData): number {
  return new Blob([...body].flatMap(([name, value]) => [name, String(value), " ".repeat(100)])).size;
}

/** Compares fields, except those that only identify the form. */
export function isSame(one: Fields, other: Fields): boolean {
  const said = (fields: Fields) =>
    JSON.stringify(fields.filter(([name]) => !["version", "kept"].includes(name)).sort());
  return said(one) === said(other);
}

export function field(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.querySelector(`input[name="${name}"]`) as HTMLInputElement;
}

export function addressOf(form: HTMLFormElement): string {
  return form.dataset.keepAt ?? "";
}

export function tokenOf(form: HTMLFormElement): string {
  return field(form, "token").value;
}

export function submitFields({ method, enctype }: HTMLFormElement, fields: Fields): void {
  const sent = document.createElement("form");
  Object.assign(sent, { method, enctype, hidden: true });
  for (const [name, value] of fields) {
    const area = document.createElement("textarea");
    Object.assign(area, { name, value });
    sent.append(area);
  }
  document.body.append(sent);
  sent.submit();
}

export type SaveOutcome = "unreachable" | "refused" | { location: string };

/** Values of buttons whose request can safely be repeated. */
const SAVING = /^(save|publish|publish-now|schedule|unpublish|archive)$/;
/** Timeout in milliseconds. A slow connection needs this long for a large text. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Status codes that a proxy sends while the server restarts. */
const GATEWAY = [502, 503, 504];

export function isSaving(pressed: HTMLElement | null): boolean {
  return pressed === null || (pressed instanceof HTMLButtonElement && SAVING.test(pressed.value));
}

/** @returns "refused" if the form must be submitted normally to show the response as a page */
export async function sendSave(form: HTMLFormElement, pressed: HTMLElement | null): Promise<SaveOutcome> {
  try {
    const answer = await fetch(location.href, {
      method: "POST",
      body: new FormData(form, pressed),
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    if (answer.ok && isJson) return { location: (await answer.json()).location };
    const isOfProxy = GATEWAY.includes(answer.status) && !(await answer.text()).includes(`id="${form.id}"`);
    return isOfProxy ? "unreachable" : "refused";
  } catch {
    return "unreachable";
  }
}
