import { type Caller, hasScope } from "../accounts/keys";
import { unscoped } from "../errors";
import type { Post } from "../posts/post/post";
import type { PostChanges } from "../posts/writing/post-changes";
import { type Asked, SCOPES_FOR } from "./scope-table";

/** @throws Refusal (unscoped) unless the key has one of the scopes in the table */
export function requireScope(caller: Caller, asked: Asked): void {
  if (!isPermitted(caller, asked))
    throw unscoped(`This key may not do that: it needs the scope ${SCOPES_FOR[asked].join(" or ")}.`);
}

function isPermitted(caller: Caller, asked: Asked): boolean {
  const scopes = SCOPES_FOR[asked];
  return scopes.length === 0 || hasScope(caller, ...scopes);
}

/**
 * Checks a new draft. A key with only the scope `draft` creates drafts; that is also the default status.
 * @throws Refusal (unscoped) if such a key requests another status
 */
export function permittedDraft(caller: Caller, draft: PostChanges): PostChanges {
  if (isPermitted(caller, "creating a post that is not a draft, or is shared")) return draft;
  if ((draft.status ?? "draft") !== "draft" || draft.isShared)
    throw unscoped("This key may only make drafts, and not share them.");
  return { ...draft, status: "draft" };
}

/** @throws Refusal (unscoped) if a key with only the scope `draft` changes or creates anything but a draft */
export function requireChangePermitted(caller: Caller, post: Post, changes: PostChanges): void {
  if (isPermitted(caller, "changing a post that is not a draft, will not be one, or is shared")) return;
  if (post.status !== "draft" || (changes.status ?? "draft") !== "draft" || changes.isShared)
    throw unscoped("This key may only change drafts, and not publish or share them.");
}
