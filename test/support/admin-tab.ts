import { hashPassword, setPassword } from "../../src/accounts/passwords";
import type { Tab, View } from "./browser";
import { browserAt } from "./cookie-browser";
import type { TestPlaten } from "./platen";

const PASSWORD = "a long enough one";

let hash: Promise<string> | null = null;

/** Signs the owner in without the form, which takes two pages. */
export async function signInWith(tab: Tab, at: TestPlaten, url: string): Promise<void> {
  hash ??= hashPassword(PASSWORD);
  // The browser may still ask the previous test's server, which has stopped, for an icon.
  await tab.open("about:blank", { width: 1280, height: 900, isDark: false });
  setPassword(at.platen, at.account, await hash);
  const browser = browserAt(url, (path, init) => at.fetch(url + path, init));
  await browser.post("/auth/sign-in", { email: at.account.email, password: PASSWORD });
  for (const [name, value] of browser.cookies)
    await tab.command("Network.setCookie", { name, value, url, httpOnly: true, sameSite: "Lax" });
}

export async function signInAt(
  tab: Tab,
  url: string,
  email: string,
  password: string,
  view: View,
): Promise<void> {
  await tab.open(`${url}/auth/sign-in`, view);
  await tab.follow(`document.querySelector("[name=email]").value = "${email}";
    document.querySelector("[name=password]").value = "${password}";
    document.forms[0].requestSubmit()`);
}
