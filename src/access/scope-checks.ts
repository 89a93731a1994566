import { type Caller, hasScope } from "../accounts/keys";
import { unscoped } from "../errors";
import type { Post } from "../posts/post/post";
import type { PostChanges } from "../posts/writing/post-changes";
import { type Asked, SCOPES_FOR } from "./scope-table";

/** @throws Refusal (unscoped) unless the key has what the table asks for this */
export function requireScope(caller: Caller, asked: Asked): void {
  if (!isPermitted(caller, asked))
    throw unscoped(`This key may not do that: it needs the scope ${SCOPES_FOR[asked].join(" or ")}.`);
}

function isPermitted(caller: Caller, asked: Asked): boolean {
  const scopes = SCOPES_FOR[asked];
  return scopes.length === 0 || hasScope(caller, ...scopes);
}

/**
 * The draft as this key may create it. A key with `draft` alone makes drafts: not asking for a status means draft,
 * asking for another is refused (contract.md 5).
 */
export function permittedDraft(caller: Caller, draft: PostChanges): PostChanges {
  if (isPermitted(caller, "creating what is no draft, or is shared")) return draft;
  if ((draft.status ?? "draft") !== "draft" || draft.isShared)
    throw unscoped("This key may only make drafts, and not share them.");
  return { ...draft, status: "draft" };
}

/** @throws Refusal (unscoped): a key with `draft` alone changes drafts, into drafts */
export function requireChangePermitted(caller: Caller, post: Post, changes: PostChanges): void {
  if (isPermitted(caller, "changing what is no draft, or is to be none, or shared")) return;
  if (post.status !== "draft" || (changes.status ?? "draft") !== "draft" || changes.isShared)
    throw unscoped("This key may only change drafts, and not publish or share them.");
}
