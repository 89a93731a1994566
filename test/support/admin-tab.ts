import { hashPassword, setPassword } from "../../src/accounts/passwords";
import type { Tab, View } from "./browser";
import type { TestPlaten } from "./platen";

const PASSWORD = "a long enough one";

/** Signs the owner in by the form. @param url base address */
export async function signInWith(tab: Tab, at: TestPlaten, url: string, view: View): Promise<void> {
  setPassword(at.platen, at.account, await hashPassword(PASSWORD));
  await signInAt(tab, url, at.account.email, PASSWORD, view);
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
