import { element } from "./elements-and-icons";

/** Form fields without files and without the CSRF token, which expires with the session. */
export type Fields = LocalDraft["fields"];

/** @returns null if the server cannot be reached */
export function postFields(form: HTMLFormElement, fields: Fields, to: string): Promise<Response | null> {
  return fetch(to, { method: "POST", body: bodyOf(form, fields) }).catch(() => null);
}

export function fieldsOf(form: HTMLFormElement): Fields {
  return [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[0] !== "token",
  );
}

export function bodyOf(form: HTMLFormElement, fields: Fields): FormData {
  const body = new FormData();
  for (const [name, value] of withToken(form, fields)) body.append(name, value);
  return body;
}

function withToken(form: HTMLFormElement, fields: Fields): Fields {
  return [["token", field(form, "token").value], ...fields];
}

export function isSame(one: Fields, other: Fields): boolean {
  const comparable = (fields: Fields) =>
    JSON.stringify(fields.filter(([name]) => !["version", "kept"].includes(name)).sort());
  return comparable(one) === comparable(other);
}

export function field(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.querySelector(`input[name="${name}"]`) as HTMLInputElement;
}

export function addressOf(form: HTMLFormElement): string {
  return form.dataset.keepAt ?? "";
}

/** Leaves the page for one that compares the fields with the stored text. */
export function submitForComparison(form: HTMLFormElement, fields: Fields): void {
  const sentFields: Fields = [...withToken(form, fields), ["action", "compare"]];
  const areas = sentFields.map(([name, value]) => element("textarea", { name, value }));
  const { method, enctype } = form;
  const sent = element("form", { method, enctype, hidden: true }, ...areas);
  document.body.append(sent);
  sent.submit();
}

export type SaveOutcome = "unreachable" | "refused" | "missing" | { location: string };

/** Values of buttons whose request can safely be repeated. */
const SAVING = /^(save|publish|publish-now|schedule|unpublish|archive)$/;
/** A slow connection may need this long for a large text. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Status codes that a proxy sends while the server restarts. */
const GATEWAY = [502, 503, 504];

export function isSaving(pressed: HTMLElement | null): boolean {
  return pressed === null || (pressed instanceof HTMLButtonElement && SAVING.test(pressed.value));
}

/**
 * @returns "refused" if the form must be submitted normally to show the response as a page; "missing" if the
 * post does not exist
 */
export async function sendSave(form: HTMLFormElement, pressed: HTMLElement | null): Promise<SaveOutcome> {
  try {
    const response = await fetch(location.href, {
      method: "POST",
      body: new FormData(form, pressed),
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (response.status === 404) return "missing";
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    if (response.ok && isJson) return { location: (await response.json()).location };
    const isOfProxy =
      GATEWAY.includes(response.status) && !(await response.text()).includes(`id="${form.id}"`);
    return isOfProxy ? "unreachable" : "refused";
  } catch {
    return "unreachable";
  }
}

interface LocalDraft {
  fields: [name: string, value: string][];
  to: string;
  at: number;
  /** True if the server rejected the text. Then only the post's own page sends the text again. */
  isRefused?: boolean;
}

const PREFIX = "platen.unsaved/";

export interface StoredDraft {
  key: string;
  draft: LocalDraft;
}

/** Each open page stores its texts under its own key. @param post "account/post" */
export function localDrafts(post: string, to: string) {
  const ofAccount = `${PREFIX}${post.split("/")[0]}/`;
  const ofPost = `${PREFIX}${post}/`;
  const own = `${ofPost}${crypto.randomUUID()}`;
  return {
    store(fields: LocalDraft["fields"], isRefused: boolean): boolean {
      const isStored = store(own, { fields, to, at: Date.now(), isRefused });
      if (!isStored) forget(own);
      return isStored;
    },
    forget: () => forget(own),
    forgetPost: () => {
      for (const { key } of listDrafts(ofPost)) forget(key);
    },
    otherDrafts(): { samePost: StoredDraft[]; otherPosts: StoredDraft[] } {
      const all = listDrafts(ofAccount).filter(({ key }) => key !== own);
      const isOfPost = ({ key }: StoredDraft) => key.startsWith(ofPost);
      return { samePost: all.filter(isOfPost), otherPosts: all.filter((one) => !isOfPost(one)) };
    },
  };
}

export function markRejected({ key, draft }: StoredDraft): void {
  store(key, { ...draft, isRefused: true });
}

/** @returns false if the storage is unavailable or full */
function store(key: string, draft: LocalDraft): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage is unavailable.
  }
}

function listDrafts(prefix: string): StoredDraft[] {
  try {
    const found = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    const drafts = found.map((key) => ({ key, draft: JSON.parse(localStorage.getItem(key) ?? "null") }));
    return drafts.filter(({ draft }) => draft !== null).sort((a, b) => b.draft.at - a.draft.at);
  } catch {
    return [];
  }
}
