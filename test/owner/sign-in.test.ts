import { describe, expect, spyOn, test } from "bun:test";
import { sessions } from "../../src/database/schema";
import { localPath } from "../../src/http/responses/response";
import { type Browser, fieldsIn } from "../support/cookie-browser";
import { DAY, MINUTE } from "../support/platen";
import { EMAIL, enter, PASSWORD, startSignIn } from "./signing-in";

/** Whether the sign-in page redirects, because the browser is signed in. */
const isSignedIn = async (browser: Browser) => (await browser.get("/auth/sign-in")).status === 303;

describe("signing in", () => {
  test("the error does not say which credential is wrong; correct ones start a session", async () => {
    const { browser } = await startSignIn();
    const tries: [string, string][] = [
      [EMAIL, "wrong"],
      ["nobody@example.com", PASSWORD],
      ["", ""],
    ];
    for (const [email, password] of tries) {
      const answer = await enter(browser, { email, password });
      expect(answer.status).toBe(422);
      const page = await answer.text();
      expect(page).toContain("Wrong e-mail or password.");
      expect(page).not.toContain(`value="${password || "-"}"`);
      expect(await isSignedIn(browser)).toBe(false);
    }
    expect((await enter(browser, { email: " ADA@example.com" })).status).toBe(303);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test("a long host in the address to return to does not block the server", async () => {
    const { browser } = await startSignIn();
    const host = `a${"\u05B0\u0301\u0316\u0315".repeat(1975)}`;
    const began = performance.now();
    for (const next of [`//${host}`, `/\t/${host}`, `/\\${host}`, `/auth?client_id=https://${host}`])
      for (let time = 0; time < 10; time++) {
        const answer = await browser.post(
          "/auth/sign-in/code",
          { next, ticket: "1.2.3" },
          { "sec-fetch-site": "same-origin" },
        );
        expect(answer.status).toBe(422);
        expect(await answer.text()).not.toContain("you decide what");
      }
    expect(performance.now() - began).toBeLessThan(2000);
  });

  test("an account without a password cannot sign in; the page says how to set one", async () => {
    const at = await startSignIn();
    at.newAccount("bob@example.com");
    for (const password of ["", "null", PASSWORD])
      expect((await enter(at.browser, { email: "bob@example.com", password })).status).toBe(422);
    expect(await (await at.browser.get("/auth/forgot-password")).text()).toContain("platen account password");
  });

  test("a wrong password takes the same time with and without an account", async () => {
    const at = await startSignIn();
    at.newAccount("bob@example.com");
    using verify = spyOn(Bun.password, "verify");
    for (const email of [EMAIL, "nobody@example.com", "bob@example.com"])
      await enter(at.newBrowser(), { email, password: "wrong" });
    const costs = verify.mock.calls.map(([, hash]) => String(hash).split("$").slice(0, 4).join("$"));
    expect(costs).toEqual(Array(3).fill("$argon2id$v=19$m=19456,t=2,p=1"));
  });

  test("the cookie is HttpOnly and SameSite; with https it is Secure and for this host only", async () => {
    const plain = await startSignIn();
    const cookiesOf = async (browser: Browser) => (await enter(browser)).headers.getSetCookie();
    expect(await cookiesOf(plain.browser)).toEqual([
      expect.stringMatching(/^platen_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^platen_browser=1\.[\w.-]{87}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
    ]);
    const secure = await startSignIn({ url: "https://blog.test" });
    for (const cookie of await cookiesOf(secure.browser))
      expect(cookie).toMatch(
        /^__Host-platen_\w+=[\w.-]+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/,
      );
    expect(await isSignedIn(secure.browser)).toBe(true);
  });

  test("a trusted proxy sets scheme and host, other clients do not", async () => {
    const at = await startSignIn();
    const forwarded = {
      "x-forwarded-proto": "https",
      "x-forwarded-host": "shop.test",
      origin: "https://shop.test",
    };
    at.atPeer({ requestIP: () => ({ address: "203.0.113.7" }) });
    expect((await enter(at.browser, {}, forwarded)).status).toBe(403);
    at.atPeer({ requestIP: () => ({ address: "127.0.0.1" }) });
    const entered = await enter(at.browser, {}, { ...forwarded, "x-forwarded-for": "203.0.113.7" });
    expect(entered.headers.getSetCookie()[0]).toMatch(/^__Host-platen_session=.*; Secure; /);
  });

  test("the session is found among other cookies", async () => {
    const { browser } = await startSignIn();
    await enter(browser);
    const session = browser.cookies.get("platen_session");
    for (const others of ["a", "=", "a=%", 'b="c; d"', "platen_session", "xplaten_session=e"]) {
      const cookie = `${others}; platen_session=${session}; theme=dark`;
      const answer = await browser.get("/auth/sign-in", { cookie });
      expect([others, answer.status]).toEqual([others, 303]);
    }
    expect((await browser.get("/auth/sign-in", { cookie: "platen_session=%" })).status).toBe(200);
  });

  test("a session is stored as a hash", async () => {
    const at = await startSignIn();
    await enter(at.browser);
    const row = at.platen.db.select().from(sessions).get();
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(at.browser.cookies.get("platen_session") as string);
  });

  test("a session ends thirty days after its last use", async () => {
    const at = await startSignIn();
    await enter(at.browser);
    at.pass(29 * DAY);
    expect(await isSignedIn(at.browser)).toBe(true);
    at.pass(29 * DAY);
    expect(await isSignedIn(at.browser)).toBe(true);
    at.pass(30 * DAY);
    expect(await isSignedIn(at.browser)).toBe(false);
  });

  test("a session ends after ninety days, even if it is used", async () => {
    const at = await startSignIn();
    await enter(at.browser);
    for (let day = 1; day < 90; day++) {
      at.pass(DAY);
      expect([day, await isSignedIn(at.browser)]).toEqual([day, true]);
    }
    // A session that an earlier version extended.
    at.platen.db
      .update(sessions)
      .set({ expiresAt: new Date(at.platen.now().getTime() + 30 * DAY) })
      .run();
    at.pass(DAY);
    expect(await isSignedIn(at.browser)).toBe(false);
  });

  test("signing out ends the session, also for a copied cookie", async () => {
    const at = await startSignIn();
    await enter(at.browser);
    const cookie = at.browser.cookies.get("platen_session") as string;
    const out = await at.browser.post("/auth/sign-out", {});
    expect([out.status, at.browser.cookies.has("platen_session")]).toEqual([303, false]);
    at.browser.cookies.set("platen_session", cookie);
    expect(await isSignedIn(at.browser)).toBe(false);
  });

  test("a form of another site cannot sign anybody in or out; a form of this site needs no Origin", async () => {
    const { browser, newBrowser } = await startSignIn();
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://blog.test" },
      {},
      { origin: "null" },
    ] as Record<string, string>[])
      expect((await enter(browser, {}, headers)).status).toBe(403);
    const stranger = newBrowser();
    const { token = [] } = fieldsIn(await (await stranger.get("/auth/sign-in")).text());
    expect((await enter(browser, { token }, {})).status).toBe(403);
    expect((await enter(stranger, { token }, {})).status).toBe(303);
    expect((await stranger.post("/auth/sign-out", {}, { origin: "https://evil.example" })).status).toBe(403);
    expect(await isSignedIn(stranger)).toBe(true);
  });
});

describe("guessing", () => {
  test("one IP address has ten attempts; then it gets 429 with Retry-After", async () => {
    const at = await startSignIn();
    for (let guess = 0; guess < 10; guess++)
      expect((await enter(at.browser, { email: `${guess}@example.com` })).status).toBe(422);
    const refused = await enter(at.browser);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    at.pass(MINUTE);
    expect((await enter(at.browser)).status).toBe(303);
  });

  test("one account has thirty attempts from all addresses together", async () => {
    const at = await startSignIn();
    const peerAt = (n: number) => ({ requestIP: () => ({ address: `203.0.113.${n}` }) });
    for (let guess = 0; guess < 30; guess++) {
      at.atPeer(peerAt(guess));
      expect((await enter(at.browser, { password: "guess" })).status).toBe(422);
    }
    at.atPeer(peerAt(31));
    expect((await enter(at.browser, { email: ` ${EMAIL.toUpperCase()} ` })).status).toBe(429);
    expect((await enter(at.browser, { email: "bob@example.com" })).status).toBe(422);
  });
});

describe("a browser that was signed in before", () => {
  const wrong = { password: "guess" };
  const peerAt = (n: number) => ({ requestIP: () => ({ address: `203.0.113.${n}` }) });
  /** The limits of the account and of the browser's address are used up by other browsers. */
  const startUnderAttack = async () => {
    const at = await startSignIn();
    at.atPeer(peerAt(1));
    await enter(at.browser);
    await at.browser.post("/auth/sign-out", {});
    at.pass(60 * MINUTE);
    for (let guess = 0; guess < 30; guess++) {
      at.atPeer(peerAt(1 + Math.floor(guess / 10)));
      await enter(at.newBrowser(), wrong);
    }
    at.atPeer(peerAt(1));
    return at;
  };
  const statusOf = async (at: { browser: Browser }, fields = {}) => (await enter(at.browser, fields)).status;

  test("is not locked out by wrong passwords of others", async () => {
    const at = await startUnderAttack();
    expect((await enter(at.newBrowser())).status).toBe(429);
    expect(await statusOf(at)).toBe(303);
  });

  test("has its own ten attempts in ten minutes", async () => {
    const at = await startUnderAttack();
    for (let count = 0; count < 2; count++) expect(await statusOf(at)).toBe(303);
    for (let count = 0; count < 8; count++) expect(await statusOf(at, wrong)).toBe(422);
    expect(await statusOf(at)).toBe(429);
    at.pass(MINUTE);
    expect(await statusOf(at)).toBe(303);
  });

  test("has no separate attempts for another account, with a forged cookie, or after a new password", async () => {
    const at = await startUnderAttack();
    expect(await statusOf(at, { email: "bob@example.com" })).toBe(429);
    const cookie = at.browser.cookies.get("platen_browser") as string;
    const [, name, signature = ""] = cookie.split(".");
    for (const made of ["", "1", "1..", `1.x.${signature}`, `2.${name}.${signature}`, `${cookie}x`]) {
      at.browser.cookies.set("platen_browser", made);
      expect([made, await statusOf(at)]).toEqual([made, 429]);
    }
    at.browser.cookies.set("platen_browser", cookie);
    at.changePassword(await Bun.password.hash("another long one"));
    expect(await statusOf(at, { password: "another long one" })).toBe(429);
  });
});

test("signing in never redirects to another site", async () => {
  const at = await startSignIn();
  const elsewhere = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "\\\\evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
    "javascript:alert(1)",
    "evil.example",
    "",
  ];
  for (const next of elsewhere) {
    const target = new URL(
      (await enter(at.newBrowser(), { next })).headers.get("location") ?? "missing:",
      "http://blog.test",
    );
    expect([next, target.origin]).toEqual([next, "http://blog.test"]);
    at.pass(MINUTE);
  }
  expect(localPath("/auth?a=b&c=%2F")).toBe("/auth?a=b&c=%2F");
});

test("a new password ends the sessions of the old one", async () => {
  const at = await startSignIn();
  await enter(at.browser);
  at.changePassword(await Bun.password.hash("another long one"));
  expect(await isSignedIn(at.browser)).toBe(false);
  expect((await enter(at.browser)).status).toBe(422);
  expect((await enter(at.browser, { password: "another long one" })).status).toBe(303);
});
