import type { Account } from "../../src/accounts/accounts";
import { hashPassword, setPassword } from "../../src/accounts/passwords";
import type { Config } from "../../src/config/config";
import { type Browser, browserAt } from "../support/cookie-browser";
import { startPlaten, type TestPlaten } from "../support/platen";

export const PASSWORD = "a long enough one";
const hash = hashPassword(PASSWORD);

export interface Owned extends TestPlaten {
  /** The owner's browser, signed in. */
  browser: Browser;
  /** A new browser, signed in to this account. */
  browserOf(account: Account): Promise<Browser>;
}

/** A Platen whose owner is signed in. */
export async function startOwned(settings: Partial<Config> = {}): Promise<Owned> {
  const at = startPlaten(settings);
  const browserOf = (account: Account) => signIn(at, account);
  return { ...at, browser: await browserOf(at.account), browserOf };
}

export async function signIn(at: TestPlaten, account: Account): Promise<Browser> {
  setPassword(at.platen, account, await hash);
  const browser = browserAt(at.platen.config.url, at.fetch);
  await browser.post("/auth/sign-in", { email: account.email, password: PASSWORD });
  return browser;
}
