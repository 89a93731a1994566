import { expect } from "bun:test";
import { codeOfStep, stepAt } from "../../src/accounts/two-factor/one-time-codes";
import { signInAt, signInWith } from "../support/admin-tab";
import { inBrowser, openBrowser, tab } from "../support/browser-tab";
import { faultsIn } from "../support/page-faults";
import { MINUTE } from "../support/platen";
import { openShowcase } from "../support/showcase";

const DESKTOP = { width: 1280, height: 900, isDark: false };
const PHONE = { width: 390, height: 844, isDark: true };

openBrowser("how people come in by a browser");

const press = (name: string) =>
  `[...document.querySelectorAll("main button")].find((one) => one.textContent.trim() === "${name}").click()`;
const fill = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `document.querySelector("main [name=${name}]").value = ${JSON.stringify(value)};`)
    .join(" ");
const path = () => tab.evaluate<string>("location.pathname");

inBrowser("an invited author joins on a phone without scripts, and sees only the own blog", async () => {
  const show = await openShowcase();
  await signInWith(tab, show.at, show.url, DESKTOP);
  await tab.open(`${show.url}/admin/people`, DESKTOP);
  await tab.follow(`${fill({ for: "Bob" })} ${press("Make a link")}`);
  expect(await faultsIn(tab)).toEqual([]);
  const link = await tab.evaluate<string>("document.getElementById('link').value");
  expect(link).toStartWith(`${show.url}/auth/join/`);
  await tab.open(`${show.url}/admin/account`, DESKTOP);
  await tab.follow("document.querySelector('.who button').click()");

  await tab.open(link.trim(), PHONE);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.open(link.trim(), { ...PHONE, isWithoutScripts: true });
  const wish = {
    email: "bob@example.com",
    name: "Bob",
    password: "a password of Bob's",
    title: "Bob's Walks",
  };
  await tab.follow(`${fill(wish)} ${press("Join")}`);
  expect(await path()).toBe("/admin/blogs/bobs-walks");
  expect(tab.complaints).toEqual([]);
  expect(tab.requests.filter((address) => !address.startsWith(show.url))).toEqual([]);
  expect(await tab.evaluate<string>("document.getElementById('blogs').textContent.trim()")).toBe(
    "Bob's Walks",
  );
  expect(await tab.evaluate<boolean>("document.querySelector('[href=\"/admin/people\"]') === null")).toBe(
    true,
  );
  await tab.open(`${show.url}/admin/blogs/ada/posts`, PHONE);
  expect(await tab.evaluate<string>("document.querySelector('h1').textContent")).toBe("Not done");
  await show.stop();
});

inBrowser(
  "codes are set up by what the page shows, asked at signing in, and a recovery code works once",
  async () => {
    const show = await openShowcase();
    const { at } = show;
    await signInWith(tab, at, show.url, PHONE);
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
      expect(await tab.evaluate<string>("document.querySelector('h1').textContent")).toBe("One more step");
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
      "Code is not right, or was used before.",
    );
    await show.stop();
  },
);
