import { APP_SCOPES, SCOPES } from "../../accounts/keys";
import { SCOPE_LABELS } from "../../accounts/scope-labels";

type AppScope = (typeof SCOPES)[number] | (typeof APP_SCOPES)[number];

export const ALL_SCOPES: AppScope[] = [...SCOPES, ...APP_SCOPES];

/** Do these give access to blogs, or only tell who signed in? */
export function reachesBlogs(scopes: string[]): boolean {
  return scopes.some((scope) => (SCOPES as readonly string[]).includes(scope));
}

/**
 * The scopes of a request that mean something here. An app that writes also has to read: it asks for the blog's settings
 * and for the post it is about to change. And what undoes a deletion is `update` (contract.md 5).
 */
export function requestedScopes(text: string): string[] {
  const asked = new Set(text.split(/\s+/).filter((scope) => (ALL_SCOPES as string[]).includes(scope)));
  if (asked.has("undelete")) asked.add("update");
  if (reachesBlogs([...asked])) asked.add("read");
  return [...asked];
}

/** One checkbox for each thing that was asked for. */
export function scopeChoices(asked: string[]): { scope: string; description: string }[] {
  return Object.entries(SCOPE_LABELS)
    .filter(([scope]) => asked.includes(scope))
    .map(([scope, description]) => ({ scope, description }));
}

/** Of what was asked for, what the owner left ticked; `undelete` goes with `update`. */
export function grantedScopes(asked: string[], ticked: string[]): string[] {
  return asked.filter((scope) => ticked.includes(scope === "undelete" ? "update" : scope));
}
