import type { Account } from "../../accounts/accounts";
import type { KeyRow } from "../../accounts/keys";
import type { SavedBy } from "../post/post";

export type Author = { account: Pick<Account, "id" | "name" | "email"> } & {
  key?: Pick<KeyRow, "id" | "name">;
};

export function authorName({ key, account }: Author): SavedBy {
  return { name: account.name || account.email, app: key?.name ?? null };
}

/** Returns the queue of an author. Each queue renders one text at a time, and the queues alternate. */
export function renderingQueue({ key, account }: Author): string {
  return key ? `key ${key.id}` : `account ${account.id}`;
}
