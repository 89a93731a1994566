import { expect, test } from "bun:test";
import { codeOfStep, stepAt } from "../../src/accounts/two-factor";
import { recoveryCodes, twoFactors } from "../../src/database/schema";
import { type Browser, browserAt, fieldsIn } from "../support/cookie-browser";
import { HOUR, MINUTE, SECOND } from "../support/platen";
import { runPlaten } from "../support/program";
import { type Owned, PASSWORD, startOwned } from "./owner";

const PAGE = "/admin/account/codes";
const STEP = 30 * SECOND;

const newBrowser = (owned: Owned) => browserAt(owned.platen.config.url, owned.fetch);
const isSignedIn = async (browser: Browser) => (await browser.get("/admin/account")).status === 200;
/** Code of the authenticator app, some steps from now. */
const appShows = (owned: Owned, secret: string, steps = 0) =>
  codeOfStep(secret, stepAt(owned.platen.now()) + steps);

async function enterPassword(browser: Browser, email = "ada@example.com", next = "/admin/account") {
  const answer = await browser.post("/auth/sign-in", { email, password: PASSWORD, next });
  const page = await answer.text();
  return { status: answer.status, page, fields: page.includes("/auth/sign-in/code") ? fieldsIn(page) : null };
}

const enterCode = (browser: Browser, fields: Record<string, string[]>, code: string) =>
  browser.post("/auth/sign-in/code", { ...fields, code });

/** Signs in with a new browser. */
async function signInWithCode(owned: Owned, code: string): Promise<number> {
  const browser = newBrowser(owned);
  const { fields } = await enterPassword(browser);
  return (await enterCode(browser, fields ?? {}, code)).status;
}

async function startWithCodes() {
  const owned = await startOwned();
  await owned.browser.post(PAGE, { do: "begin", current: PASSWORD });
  const page = await (await owned.browser.get(PAGE)).text();
  const secret = /<textarea[^>]*id="secret"[^>]*>\n?([A-Z2-7]{32})</.exec(page)?.[1] as string;
  const shown = await owned.browser.post(PAGE, { do: "confirm", code: appShows(owned, secret) });
  const codes = (await shown.text()).match(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/g) as string[];
  owned.pass(MINUTE);
  return { owned, secret, codes, page };
}

test("codes match RFC 6238", () => {
  // RFC 6238, appendix B, for SHA-1: the last six of eight digits.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const codeAt = (seconds: number) => codeOfStep(secret, stepAt(new Date(seconds * 1000)));
  expect([59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000].map(codeAt)).toEqual([
    "287082",
    "081804",
    "050471",
    "005924",
    "279037",
    "353130",
  ]);
});

test("turning on asks for the password, shows the secret as text and QR code, and needs a code", async () => {
  const owned = await startOwned();
  expect((await owned.browser.post(PAGE, { do: "begin", current: "wrong" })).status).toBe(422);
  expect(owned.platen.db.select().from(twoFactors).all()).toEqual([]);
  await owned.browser.post(PAGE, { do: "begin", current: PASSWORD });
  const page = await (await owned.browser.get(PAGE)).text();
  expect(page).toContain('<svg class="qr-code"');
  const [, secret] = /<textarea[^>]*id="secret"[^>]*>\n?([A-Z2-7]{32})</.exec(page) ?? [];
  expect(page).toMatch(new RegExp(`<a href="otpauth://totp/[^"]*secret=${secret}&`));
  expect((await enterPassword(newBrowser(owned))).status).toBe(303);
  expect((await owned.browser.post(PAGE, { do: "confirm", code: "000000" })).status).toBe(422);
  expect((await enterPassword(newBrowser(owned))).status).toBe(303);
  await owned.browser.post(PAGE, { do: "cancel" });
  expect(owned.platen.db.select().from(twoFactors).all()).toEqual([]);
});

test("sign-in asks for a code after the password, also for apps", async () => {
  const { owned, secret } = await startWithCodes();
  const browser = newBrowser(owned);
  const next = "/auth?client_id=https%3A%2F%2Fapp.example%2F";
  const { status, fields } = await enterPassword(browser, "ADA@example.com", next);
  expect([status, await isSignedIn(browser)]).toEqual([200, false]);
  expect(browser.cookies.has("platen_session")).toBe(false);
  const wrong = await enterCode(browser, fields ?? {}, "123456");
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("Code is wrong")]);
  const right = await enterCode(browser, fields ?? {}, ` ${appShows(owned, secret).replace(/^.../, "$& ")}`);
  expect([right.status, right.headers.get("location")]).toEqual([303, next]);
  expect(await isSignedIn(browser)).toBe(true);
});

test("a code of the previous or next step is valid, and each code works once", async () => {
  const { owned, secret } = await startWithCodes();
  const statusOfCode = async (steps: number) => await signInWithCode(owned, appShows(owned, secret, steps));
  expect([await statusOfCode(-2), await statusOfCode(2)]).toEqual([422, 422]);
  expect([await statusOfCode(-1), await statusOfCode(-1)]).toEqual([303, 422]);
  expect([await statusOfCode(1), await statusOfCode(1)]).toEqual([303, 422]);
  // Older than the last code used.
  expect(await statusOfCode(0)).toBe(422);
  owned.pass(2 * STEP);
  expect(await statusOfCode(0)).toBe(303);
});

test("ten recovery codes are stored as hashes, work once each, and are replaced by new ones", async () => {
  const { owned, codes } = await startWithCodes();
  expect(new Set(codes).size).toBe(10);
  const rows = JSON.stringify(owned.platen.db.select().from(recoveryCodes).all());
  for (const code of codes) expect(rows).not.toContain(code.replaceAll("-", ""));
  const [first, second] = codes as [string, string];
  expect(await signInWithCode(owned, first.toUpperCase().replaceAll("-", " "))).toBe(303);
  expect(await signInWithCode(owned, first)).toBe(422);
  expect(await (await owned.browser.get(PAGE)).text()).toContain("9 recovery codes left");
  expect((await owned.browser.post(PAGE, { do: "renew", current: "wrong" })).status).toBe(422);
  const renewed = await (await owned.browser.post(PAGE, { do: "renew", current: PASSWORD })).text();
  expect(await signInWithCode(owned, second)).toBe(422);
  expect(await signInWithCode(owned, /[a-z2-7]{4}(-[a-z2-7]{4}){3}/.exec(renewed)?.[0] ?? "")).toBe(303);
});

test("guesses are limited to ten per hour, except from a browser that was signed in before", async () => {
  const { owned, secret } = await startWithCodes();
  const browser = newBrowser(owned);
  let fields: Record<string, string[]> = {};
  for (let guess = 0; guess < 10; guess++) {
    if (guess % 5 === 0) fields = (await enterPassword(browser)).fields ?? {};
    expect((await enterCode(browser, fields, "000000")).status).toBe(422);
  }
  expect((await enterCode(browser, fields, appShows(owned, secret))).status).toBe(429);
  const own = (await enterPassword(owned.browser)).fields ?? {};
  expect((await enterCode(owned.browser, own, appShows(owned, secret))).status).toBe(303);
  owned.pass(HOUR);
  expect(await signInWithCode(owned, appShows(owned, secret))).toBe(303);
});

test("the code must be sent by the same browser within ten minutes of the password", async () => {
  const { owned, secret } = await startWithCodes();
  const browser = newBrowser(owned);
  const { fields } = await enterPassword(browser);
  const other = newBrowser(owned);
  await other.get("/auth/sign-in");
  expect((await enterCode(other, fields ?? {}, appShows(owned, secret))).status).toBe(422);
  for (const ticket of ["", "1", "1.9999999999999.x", `1.x.${fields?.ticket?.[0]?.split(".").at(-1)}`])
    expect((await enterCode(browser, { ...fields, ticket: [ticket] }, appShows(owned, secret))).status).toBe(
      422,
    );
  owned.pass(10 * MINUTE);
  expect((await enterCode(browser, fields ?? {}, appShows(owned, secret))).status).toBe(422);
  expect(await isSignedIn(browser)).toBe(false);
  expect((await browser.get("/auth/sign-in/code")).status).toBe(303);
});

test("turning off asks for the password; then the password alone signs in", async () => {
  const { owned } = await startWithCodes();
  expect((await owned.browser.post(PAGE, { do: "cancel" })).status).toBe(303);
  expect((await owned.browser.post(PAGE, { do: "off", current: "wrong" })).status).toBe(422);
  expect((await enterPassword(newBrowser(owned))).status).toBe(200);
  await owned.browser.post(PAGE, { do: "off", current: PASSWORD });
  expect((await enterPassword(newBrowser(owned))).status).toBe(303);
  for (const table of [twoFactors, recoveryCodes])
    expect(owned.platen.db.select().from(table).all()).toEqual([]);
});

test("a command turns two-factor off and shows whether it is on", async () => {
  const { owned, codes } = await startWithCodes();
  const data = owned.platen.config.data;
  const command = (...more: string[]) =>
    runPlaten(["account", "two-factor", "--email", "ada@example.com", "--data", data, ...more]);
  await signInWithCode(owned, codes[0] as string);
  expect((await command()).stdout).toBe(
    "Two-factor authentication has been on for ada@example.com since 2026-03-01; 9 recovery codes left.\n",
  );
  expect((await command("--off")).stdout).toBe("Two-factor authentication is off for ada@example.com.\n");
  expect((await enterPassword(newBrowser(owned))).status).toBe(303);
});

test("secret and codes are shown once and are in no log", async () => {
  const { owned, secret, codes, page } = await startWithCodes();
  expect(page).toContain(secret);
  const after = await (await owned.browser.get(PAGE)).text();
  for (const secretText of [secret, ...codes]) {
    expect(after).not.toContain(secretText);
    expect(owned.log.join("\n")).not.toContain(secretText);
  }
});
