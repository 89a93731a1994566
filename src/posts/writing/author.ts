import type { Account } from "../../accounts/accounts";
import type { KeyRow } from "../../accounts/keys";
import type { SavedBy } from "../post/post";

/** Who writes: by a key, or signed in. */
export type Author = { account: Pick<Account, "id" | "name" | "email"> } & {
  key?: Pick<KeyRow, "id" | "name">;
};

/** For revisions. */
export function authorName({ key, account }: Author): SavedBy {
  return { name: account.name || account.email, app: key?.name ?? null };
}

/** Texts of one source are rendered one after the other; sources take turns. */
export function renderingQueue({ key, account }: Author): string {
  return key ? `key ${key.id}` : `account ${account.id}`;
}
