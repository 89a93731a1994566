import { expect } from "bun:test";
import {
  beginTwoFactor,
  codeOfStep,
  confirmTwoFactor,
  pendingSecret,
  stepAt,
  turnOffTwoFactor,
} from "../../../src/accounts/two-factor";
import { signInAt, signInWith } from "../../support/admin-tab";
import { inBrowser, openBrowser, tab } from "../../support/browser-tab";
import { faultsIn } from "../../support/page-faults";
import { DAY, MINUTE, SECOND } from "../../support/platen";
import { openShowcase } from "../../support/showcase";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: true };

openBrowser("invitations, two-factor codes and passkeys");

const press = (name: string) =>
  `[...document.querySelectorAll("main button")].find((one) => one.textContent.trim() === "${name}").click()`;
const fill = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `document.querySelector("main [name=${name}]").value = ${JSON.stringify(value)};`)
    .join(" ");
const path = () => tab.evaluate<string>("location.pathname");

inBrowser("an invited author joins on a phone without scripts, and sees only their own blog", async () => {
  const show = await openShowcase();
  await signInWith(tab, show.at, show.url);
  await tab.open(`${show.url}/admin/people`, DESKTOP);
  await tab.follow(`${fill({ for: "Bob" })} ${press("Create link")}`);
  expect(await faultsIn(tab)).toEqual([]);
  const link = await tab.evaluate<string>("document.getElementById('link').value");
  expect(link).toStartWith(`${show.url}/auth/join/`);
  await tab.open(`${show.url}/admin/account`, DESKTOP);
  await tab.follow("document.querySelector('.who button').click()");

  await tab.open(link.trim(), PHONE);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.open(link.trim(), { ...PHONE, isWithoutScripts: true });
  const fields = {
    email: "bob@example.com",
    name: "Bob",
    password: "a password of Bob's",
    title: "Bob's Walks",
  };
  await tab.follow(`${fill(fields)} ${press("Join")}`);
  expect(await path()).toBe("/admin/blogs/bobs-walks");
  expect(tab.complaints).toEqual([]);
  expect(tab.requests.filter((address) => !address.startsWith(show.url))).toEqual([]);
  const own = "[...document.querySelectorAll('#blogs a:not(.new)')]";
  expect(await tab.evaluate<string[]>(`${own}.map((link) => link.textContent)`)).toEqual(["Bob's Walks"]);
  expect(await tab.evaluate<boolean>("document.querySelector('[href=\"/admin/people\"]') === null")).toBe(
    true,
  );
  await tab.open(`${show.url}/admin/blogs/ada/posts`, PHONE);
  expect(await tab.evaluate<string>("document.querySelector('h1').textContent")).toBe("That didn’t work");
});

inBrowser(
  "two-factor codes are set up from the page and asked for at sign-in, and a recovery code works once",
  async () => {
    const show = await openShowcase();
    const { at } = show;
    await signInWith(tab, at, show.url);
    const page = `${show.url}/admin/account/codes`;
    await tab.open(page, PHONE);
    await tab.follow(`${fill({ current: "a long enough one" })} ${press("Set up")}`);
    expect(await faultsIn(tab)).toEqual([]);
    expect(tab.complaints).toEqual([]);
    const secret = (await tab.evaluate<string>("document.getElementById('secret').value")).trim();
    const appShows = () => codeOfStep(secret, stepAt(at.platen.now()));
    await tab.follow(`${fill({ code: appShows() })} ${press("Turn on")}`);
    expect(await faultsIn(tab)).toEqual([]);
    const [recovery] = (await tab.evaluate<string>("document.getElementById('codes').value"))
      .trim()
      .split("\n");
    const signOut = "document.querySelector('.who button').click()";
    const enterCode = (code = "") => tab.follow(`${fill({ code })} ${press("Sign in")}`);
    const enterPassword = async () => {
      await signInAt(tab, show.url, "ada@example.com", "a long enough one", PHONE);
      expect(await tab.evaluate<string>("document.querySelector('h1').textContent")).toBe("Two-factor code");
    };
    await tab.open(page, PHONE);
    await tab.follow(signOut);
    at.pass(MINUTE);
    await enterPassword();
    expect(await faultsIn(tab)).toEqual([]);
    expect(tab.complaints).toEqual([]);
    await enterCode(appShows());
    expect(await path()).toBe("/admin/blogs/ada");
    await tab.follow(signOut);
    await enterPassword();
    await enterCode(recovery);
    expect(await path()).toBe("/admin/blogs/ada");
    await tab.follow(signOut);
    await enterPassword();
    await enterCode(recovery);
    expect(await tab.evaluate<string>("document.getElementById('code-fault').textContent")).toBe(
      "Code is wrong or was already used.",
    );
  },
);

inBrowser("a passkey is created after the password, signs in without a code, and is removed", async () => {
  const show = await openShowcase();
  const { at } = show;
  const url = show.url.replace("127.0.0.1", "localhost");
  Object.assign(at.platen.config, { url });
  await using device = await tab.addAuthenticator();
  await signInWith(tab, at, url);
  const page = `${url}/admin/account/passkeys`;
  await tab.open(page, DESKTOP);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.follow(`${fill({ name: "The desk", current: "a long enough one" })} ${press("Continue")}`);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.follow(press("Create passkey"));
  expect(await tab.evaluate<string>("document.querySelector('.rows .name').textContent")).toBe("The desk");
  expect(tab.complaints).toEqual([]);
  // Two-factor codes are on; a passkey needs neither password nor code.
  beginTwoFactor(at.platen, at.account);
  const secret = pendingSecret(at.platen, at.account) as string;
  confirmTwoFactor(at.platen, at.account, codeOfStep(secret, stepAt(at.platen.now())));
  // A user who confirms would use the passkey of the e-mail field at once.
  await device.agree(false);
  await tab.follow("document.querySelector('.who button').click()");
  expect(await path()).toBe("/auth/sign-in");
  expect(await faultsIn(tab)).toEqual([]);
  // A request that reaches the authenticator before it agrees waits forever.
  await device.agree(true);
  await tab.follow(press("Sign in with a passkey"));
  expect(await path()).toBe("/admin/blogs/ada");
  expect(tab.complaints).toEqual([]);
  expect(tab.requests.filter((address) => !address.startsWith(url))).toEqual([]);

  await device.agree(false);
  at.pass(SECOND);
  await tab.follow("document.querySelector('.who button').click()");
  await tab.evaluate(`window.sent = new Promise((resolve) => {
    HTMLFormElement.prototype.submit = function () { resolve(new URLSearchParams(new FormData(this)).toString()); };
  }); null`);
  await device.agree(true);
  await tab.evaluate(press("Sign in with a passkey"));
  const answer = await tab.evaluate<string>("window.sent");
  await device.agree(false);
  const send = (body: string) =>
    tab.follow(`const form = Object.assign(document.createElement("form"), { method: "post", action: "/auth/sign-in/passkey" });
        for (const [name, value] of new URLSearchParams(${JSON.stringify(body)}))
          form.append(Object.assign(document.createElement("input"), { name, value }));
        document.body.append(form); form.requestSubmit()`);
  const forged = answer.replace(
    /(signature%22%3A%22.{20})(.)/,
    (_, before, next) => `${before}${next === "-" ? "_" : "-"}`,
  );
  expect(forged).not.toBe(answer);
  await send(forged);
  expect(await tab.evaluate<string>("document.querySelector('[role=alert]').textContent")).toContain(
    "Unknown passkey",
  );
  await send(answer);
  expect(await path()).toBe("/admin/blogs/ada");
  await tab.follow("document.querySelector('.who button').click()");
  await send(answer);
  expect(await path()).toBe("/auth/sign-in/passkey");
  expect(await faultsIn(tab)).toEqual([]);

  // The passkey was last used when the clock was ahead.
  at.pass(-DAY);
  await tab.open(`${url}/auth/sign-in`, DESKTOP);
  // Meanwhile, the request of the e-mail field reaches the authenticator, as above.
  expect(await faultsIn(tab)).toEqual([]);
  await device.agree(true);
  await tab.follow(press("Sign in with a passkey"));
  expect(await path()).toBe("/admin/blogs/ada");
  await device.agree(false);
  await tab.follow("document.querySelector('.who button').click()");

  turnOffTwoFactor(at.platen, at.account);
  await signInAt(tab, url, "ada@example.com", "a long enough one", PHONE);
  await tab.open(page, PHONE);
  expect(await tab.evaluate<string>("document.querySelector('.rows .about').textContent")).toContain(
    "used just now",
  );
  await tab.follow(press("Remove The desk"));
  expect(await tab.evaluate<boolean>("document.querySelector('.rows') === null")).toBe(true);
});

inBrowser("at another host the sign-in page says where passkeys work, and offers none", async () => {
  const show = await openShowcase();
  const { at } = show;
  const url = show.url.replace("127.0.0.1", "localhost");
  Object.assign(at.platen.config, { url });
  await tab.open(`${show.url}/auth/sign-in`, PHONE);
  expect(await tab.evaluate<string>("document.querySelector('main a').href")).toBe(`${url}/auth/sign-in`);
  expect(await tab.evaluate<boolean>("document.querySelector('script, [data-passkey]') === null")).toBe(true);
  expect(await faultsIn(tab)).toEqual([]);
});
