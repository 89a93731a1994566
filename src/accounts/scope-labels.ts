import type { APP_SCOPES, SCOPES } from "./keys";

type AnyScope = (typeof SCOPES)[number] | (typeof APP_SCOPES)[number];

/** What each scope allows, for people, in the order in which they are shown; `undelete` comes with `update`. */
export const SCOPE_LABELS: Record<Exclude<AnyScope, "undelete">, string> = {
  create: "Publish new posts",
  draft: "Write drafts, without publishing them",
  update: "Change posts: publish them, take them back, restore deleted ones",
  delete: "Delete posts",
  media: "Upload pictures and videos",
  read: "Read your posts, drafts too",
  profile: "Know your name",
  email: "Know your e-mail address",
};
