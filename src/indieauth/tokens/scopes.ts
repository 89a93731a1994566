import { APP_SCOPES, SCOPES } from "../../accounts/keys";

type AppScope = (typeof SCOPES)[number] | (typeof APP_SCOPES)[number];

/** What an app may do with a scope, in plain words; in the order they are asked about. */
const WORDS: Record<Exclude<AppScope, "undelete">, string> = {
  create: "Publish new posts",
  draft: "Write drafts, without publishing them",
  update: "Change posts: publish them, take them back, restore deleted ones",
  delete: "Delete posts",
  media: "Upload pictures and videos",
  read: "Read your posts, drafts too",
  profile: "Know your name",
  email: "Know your e-mail address",
};

export const ALL_SCOPES: AppScope[] = [...SCOPES, ...APP_SCOPES];

/** Do these let an app at the blogs, beyond knowing who signed in? */
export function reachBlogs(scopes: string[]): boolean {
  return scopes.some((scope) => (SCOPES as readonly string[]).includes(scope));
}

/**
 * The scopes of a request that mean something here. An app that writes also has to read: it asks for the blog's settings
 * and for the post it is about to change. And what undoes a deletion is `update` (contract.md 5).
 */
export function scopesAsked(text: string): string[] {
  const asked = new Set(text.split(/\s+/).filter((scope) => (ALL_SCOPES as string[]).includes(scope)));
  if (asked.has("undelete")) asked.add("update");
  if (reachBlogs([...asked])) asked.add("read");
  return [...asked];
}

/** One line to tick, for each thing that was asked for. */
export function choicesIn(asked: string[]): { scope: string; words: string }[] {
  return Object.entries(WORDS)
    .filter(([scope]) => asked.includes(scope))
    .map(([scope, words]) => ({ scope, words }));
}

/** Of what was asked for, what the owner left ticked; `undelete` goes with `update`. */
export function scopesLeft(asked: string[], ticked: string[]): string[] {
  return asked.filter((scope) => ticked.includes(scope === "undelete" ? "update" : scope));
}
