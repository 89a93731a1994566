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
