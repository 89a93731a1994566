import { element, quietButton } from "./elements-and-icons";

/** Form fields without files and without the CSRF token, which expires with the session. */
export type Fields = [name: string, value: string][];

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

function isSame(one: Fields, other: Fields): boolean {
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

interface LocalDraft {
  fields: Fields;
  to: string;
  at: number;
  /** True if the server rejected the text. Then only the post's own page sends the text again. */
  isRefused?: boolean;
}

const PREFIX = "platen.unsaved/";

interface StoredDraft {
  key: string;
  draft: LocalDraft;
}

/** Each open page stores its texts under its own key. @param post "account/post" */
export function localDrafts(post: string, to: string) {
  const ofAccount = `${PREFIX}${post.split("/")[0]}/`;
  const ofPost = `${PREFIX}${post}/`;
  const own = `${ofPost}${crypto.randomUUID()}`;
  return {
    store(fields: Fields, isRefused: boolean): boolean {
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

/** @returns false if the storage is unavailable or full */
function store(key: string, draft: LocalDraft): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

function forget(key: string): void {
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

export type Say = (sentence: string, ...more: HTMLElement[]) => void;

/** Sends texts that this browser could not send before. */
export async function sendUnsentTexts(
  form: HTMLFormElement,
  drafts: Record<"samePost" | "otherPosts", StoredDraft[]>,
  say: Say,
): Promise<void> {
  for (const { key, draft } of drafts.otherPosts.filter(({ draft }) => !draft.isRefused)) {
    const response = await postFields(form, draft.fields, draft.to);
    if (response?.ok) forget(key);
    else if (response && isFinal(response.status)) store(key, { ...draft, isRefused: true });
  }
  const known = field(form, "kept").value.split(" ");
  // The form already contains this text or a newer one.
  const isOlder = ({ draft }: StoredDraft) => known.includes(newestStamp(draft.fields) ?? "none");
  for (const { key } of drafts.samePost.filter(isOlder)) forget(key);
  const last = drafts.samePost.find((one) => !isOlder(one));
  if (!last) return;
  if (isSame(last.draft.fields, fieldsOf(form))) return forget(last.key);
  form.inert = true;
  const response = await postFields(form, last.draft.fields, last.draft.to);
  form.inert = false;
  if (response?.ok) {
    forget(last.key);
    if ((await response.json()).kept) location.reload();
  } else if (response?.status === 409) {
    const { message } = await response.json();
    const show = quietButton("Compare", () => {
      forget(last.key);
      submitForComparison(form, last.draft.fields);
    });
    say(`This browser has unsaved text. ${message}`, show);
  } else say("This browser has text that was not sent. Reload the page to try again");
}

/** True if sending the same text again would fail again. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

function newestStamp(fields: Fields): string | undefined {
  const [, stamps = ""] = fields.find(([name]) => name === "kept") ?? [];
  return stamps.split(" ").find(Boolean);
}
