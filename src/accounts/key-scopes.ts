export const SCOPES = ["read", "create", "update", "delete", "media", "draft", "subscribers"] as const;
export type Scope = (typeof SCOPES)[number];

/** Additional scopes of apps (IndieAuth 5.3.4, Micropub). */
export const APP_SCOPES = ["undelete", "profile", "email"] as const;

/** Without `draft`, which restricts a key, and `subscribers`, which gives access to readers' addresses. */
export const STANDARD_SCOPES: Scope[] = SCOPES.filter(
  (scope) => scope !== "draft" && scope !== "subscribers",
);

type AnyScope = Scope | (typeof APP_SCOPES)[number];

/** In display order. `undelete` allows nothing that `update` does not. */
export const SCOPE_LABELS: Record<Exclude<AnyScope, "undelete">, string> = {
  create: "Publish new posts",
  draft: "Write drafts, without publishing them",
  update: "Edit, publish, unpublish and restore posts",
  delete: "Delete posts",
  media: "Upload pictures and videos",
  read: "Read your posts and drafts",
  subscribers: "Read and change newsletter subscribers",
  profile: "Know your name",
  email: "Know your e-mail address",
};
