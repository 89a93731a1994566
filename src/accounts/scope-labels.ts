import type { APP_SCOPES, SCOPES } from "./keys";

type AnyScope = (typeof SCOPES)[number] | (typeof APP_SCOPES)[number];

/** Labels in display order; `undelete` is part of `update`. */
export const SCOPE_LABELS: Record<Exclude<AnyScope, "undelete">, string> = {
  create: "Publish new posts",
  draft: "Write drafts, without publishing them",
  update: "Edit, publish, unpublish and restore posts",
  delete: "Delete posts",
  media: "Upload pictures and videos",
  read: "Read your posts and drafts",
  profile: "Know your name",
  email: "Know your e-mail address",
};
