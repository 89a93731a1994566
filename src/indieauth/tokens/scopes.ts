import { APP_SCOPES, SCOPES } from "../../accounts/keys";
import { SCOPE_LABELS } from "../../accounts/scope-labels";

type AppScope = (typeof SCOPES)[number] | (typeof APP_SCOPES)[number];

export const ALL_SCOPES: AppScope[] = [...SCOPES, ...APP_SCOPES];

/** Whether the scopes give access to blogs. If not, they only identify the user. */
export function reachesBlogs(scopes: string[]): boolean {
  return scopes.some((scope) => (SCOPES as readonly string[]).includes(scope));
}

/**
 * The known scopes of a request, and those that they imply.
 * Writing apps also read the blog's settings and the post, so they need `read`. `undelete` needs `update`.
 */
export function requestedScopes(text: string): string[] {
  const asked = new Set(text.split(/\s+/).filter((scope) => (ALL_SCOPES as string[]).includes(scope)));
  if (asked.has("undelete")) asked.add("update");
  if (reachesBlogs([...asked])) asked.add("read");
  return [...asked];
}

/** One checkbox for each requested permission. */
export function scopeChoices(asked: string[]): { scope: string; description: string }[] {
  return Object.entries(SCOPE_LABELS)
    .filter(([scope]) => asked.includes(scope))
    .map(([scope, description]) => ({ scope, description }));
}

/** The requested scopes that the owner left ticked. `undelete` follows `update`. */
export function grantedScopes(asked: string[], ticked: string[]): string[] {
  return asked.filter((scope) => ticked.includes(scope === "undelete" ? "update" : scope));
}
