/** What stands in a form, to be sent now or kept for later. */
import type { KeptHere } from "./local-drafts";

/** All but files, and but the token, which ends with a session. */
export type Fields = KeptHere["fields"];

/** Null where nobody answers. */
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

/** But for what says only which form it is. */
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

/** To the address of the form, in its place. */
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

/** What became of a form that was sent to be saved. */
export type SaveOutcome = "unreachable" | "refused" | { location: string };

/** Saves change nothing when they are sent twice. */
const SAVING = /^(save|publish|publish-now|schedule|unpublish|archive)$/;
/** In milliseconds: on a slow line a text of a megabyte takes long. */
const ANSWERED_WITHIN = 60_000;
/** What a proxy answers while the server restarts. */
const GATEWAY = [502, 503, 504];

export function isSaving(pressed: HTMLElement | null): boolean {
  return pressed === null || (pressed instanceof HTMLButtonElement && SAVING.test(pressed.value));
}

/** @returns "refused" for any answer but a save: sent as a form, the same answer is a page. */
export async function sendSave(form: HTMLFormElement, pressed: HTMLElement | null): Promise<SaveOutcome> {
  try {
    const answer = await fetch(location.href, {
      method: "POST",
      body: new FormData(form, pressed),
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(ANSWERED_WITHIN),
    });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    if (answer.ok && isJson) return { location: (await answer.json()).location };
    const isOfProxy = GATEWAY.includes(answer.status) && !(await answer.text()).includes(`id="${form.id}"`);
    return isOfProxy ? "unreachable" : "refused";
  } catch {
    return "unreachable";
  }
}
