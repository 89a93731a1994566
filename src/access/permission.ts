import { type Caller, hasScope, type Scope } from "../accounts/keys";
import { unscoped } from "../errors";
import type { Post } from "../posts/post/post";
import type { PostChanges } from "../posts/writing/post-changes";

/** @throws Refusal (unscoped) unless the key has one of these scopes */
export function requireScope(caller: Caller, ...anyOf: [Scope, ...Scope[]]): void {
  if (!hasScope(caller, ...anyOf))
    throw unscoped(`This key may not do that: it needs the scope ${anyOf.join(" or ")}.`);
}

/**
 * The draft as this key may create it. A key with `draft` alone makes drafts: not asking for a status means draft,
 * asking for another is refused (contract.md 5).
 */
export function permittedDraft(caller: Caller, draft: PostChanges): PostChanges {
  if (hasScope(caller, "create")) return draft;
  requireScope(caller, "create", "draft");
  if ((draft.status ?? "draft") !== "draft" || draft.isShared)
    throw unscoped("This key may only make drafts, and not share them.");
  return { ...draft, status: "draft" };
}

/** @throws Refusal (unscoped): a key with `draft` alone changes drafts, into drafts */
export function requireChangePermitted(caller: Caller, post: Post, changes: PostChanges): void {
  if (hasScope(caller, "update")) return;
  requireScope(caller, "update", "draft");
  if (post.status !== "draft" || (changes.status ?? "draft") !== "draft" || changes.isShared)
    throw unscoped("This key may only change drafts, and not publish or share them.");
}
