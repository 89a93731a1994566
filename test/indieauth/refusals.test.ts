import { describe, expect, test } from "bun:test";
import { EMAIL, enter, startSignIn } from "../owner/signing-in";
import { fieldsIn } from "../support/cookie-browser";
import { HOUR } from "../support/platen";
import { authPath, consent, exchange } from "./app";

describe("an invalid sign-in request shows an error page and does not redirect", () => {
  const wrong: [string, Record<string, string | undefined>, string][] = [
    ["no client_id", { client_id: undefined }, "client_id must be a URL"],
    ["a client_id that is no URL", { client_id: "app.example" }, "client_id must be a URL"],
    ["another scheme", { client_id: "ftp://app.example/" }, "must begin with https"],
    ["dot segments", { client_id: "https://app.example/a/../b" }, "dot segments"],
    ["hidden dot segments", { client_id: "https://app.example/a/%2e%2E/b" }, "dot segments"],
    ["a fragment", { client_id: "https://app.example/#a" }, "fragment"],
    ["credentials", { client_id: "https://me:pw@app.example/" }, "user name or password"],
    ["an IP address", { client_id: "https://192.0.2.1/" }, "not an IP address"],
    ["an IPv6 address", { client_id: "https://[2001:db8::1]/" }, "not an IP address"],
    ["no response_type", { response_type: undefined }, "response_type must be"],
    ["response_type=token", { response_type: "token" }, "response_type must be"],
    ["no challenge", { code_challenge: undefined }, "code_challenge is missing"],
    ["a plain challenge", { code_challenge_method: "plain" }, "code_challenge_method must be"],
    ["no method", { code_challenge_method: undefined }, "code_challenge_method must be"],
    ["an invalid challenge", { code_challenge: "abc" }, "43 characters"],
    ["a state that is too long", { state: "x".repeat(2001) }, "state must be"],
    ["no redirect_uri", { redirect_uri: undefined }, "redirect_uri must be a URL"],
    [
      "a redirect_uri with a fragment",
      { redirect_uri: "https://app.example/#x" },
      "redirect_uri must not have",
    ],
    [
      "a redirect_uri with credentials",
      { redirect_uri: "https://a@app.example/" },
      "redirect_uri must not have",
    ],
    ["a redirect_uri with a script", { redirect_uri: "javascript:alert(1)" }, "URL of the app"],
    ["a redirect_uri with data", { redirect_uri: "data:text/html,hi" }, "URL of the app"],
  ];
  test.each(wrong)("%s", async (_, changes, says) => {
    const at = await startSignIn();
    await enter(at.browser);
    const answer = await at.browser.get(authPath(changes));
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(await answer.text()).toContain(says);
  });

  test("a repeated parameter", async () => {
    const at = await startSignIn();
    const answer = await at.browser.get(`${authPath()}&redirect_uri=https://evil.example/`);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test.each([
    "https://evil.example/callback",
    "https://app.example.evil.example/",
    "https://sub.app.example/",
    "http://app.example/callback",
    "https://app.example:8443/callback",
    "https://app.example@evil.example/",
    "https://app.example\\@evil.example/",
    "//evil.example/",
    "/callback",
    "app.example/callback",
    "evil://app.example/",
    "https:evil.example",
    "https://evil.example\t/",
  ])("a redirect_uri elsewhere that the app does not list: %s", async (redirect_uri) => {
    const at = await startSignIn();
    await enter(at.browser);
    const answer = await at.browser.get(authPath({ redirect_uri }));
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });
});

describe("the consent form", () => {
  const page = async () => {
    const at = await startSignIn();
    await enter(at.browser);
    const fields = fieldsIn(await (await at.browser.get(authPath())).text());
    const { ticket: [ticket = ""] = [], token = [] } = fields;
    return { at, fields: { ...fields, ticket, token, answer: "allow" } };
  };

  test("is accepted only from this host", async () => {
    const { at, fields } = await page();
    const { token: _, ...withoutToken } = fields;
    const send = async (form: Record<string, string | string[]>, headers: Record<string, string>) =>
      (await at.browser.post("/auth/consent", form, headers)).status;
    expect(await send(fields, { "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await send(fields, { "sec-fetch-site": "same-site" })).toBe(403);
    expect(await send(fields, { origin: "https://evil.example" })).toBe(403);
    expect(await send(fields, { origin: "http://blog.test:8080" })).toBe(403);
    expect(await send(withoutToken, {})).toBe(403);
    expect(await send({ ...fields, token: "guess" }, { origin: "null" })).toBe(403);
    expect(await send(fields, {})).toBe(302);
    expect(await send(withoutToken, { origin: "http://blog.test" })).toBe(302);
    expect(await send(withoutToken, { "sec-fetch-site": "same-origin" })).toBe(302);
  });

  test("is accepted only with what was shown, from the same person, within an hour", async () => {
    const { at, fields } = await page();
    const [claim, signature] = fields.ticket.split(".") as [string, string];
    const shown = JSON.parse(Buffer.from(claim, "base64url").toString());
    shown.request.redirectUri = "https://evil.example/";
    const forged = `${Buffer.from(JSON.stringify(shown)).toString("base64url")}.${signature}`;
    expect((await at.browser.post("/auth/consent", { ...fields, ticket: forged })).status).toBe(400);
    expect((await at.browser.post("/auth/consent", { ...fields, ticket: "" })).status).toBe(400);
    at.pass(HOUR);
    expect((await at.browser.post("/auth/consent", fields)).status).toBe(400);
  });

  test("requires a signed-in person", async () => {
    const { at, fields } = await page();
    await at.browser.post("/auth/sign-out", { token: fields.token as string[] });
    const late = await at.browser.post("/auth/consent", fields);
    expect([late.status, late.headers.get("location")]).toEqual([403, null]);
  });
});

test("pages cannot be framed, run no scripts and are not cached; the form only posts to this host", async () => {
  const at = await startSignIn();
  const signIn = await at.browser.get("/auth/sign-in");
  await enter(at.browser);
  const consent = await at.browser.get(authPath());
  for (const { headers } of [signIn, consent]) {
    expect(headers.get("cache-control")).toBe("no-store");
    const policy = headers.get("content-security-policy") as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("script");
  }
  expect(signIn.headers.get("content-security-policy")).toEndWith("form-action 'self'");
});

test("no input returns a 5xx", async () => {
  const at = await startSignIn();
  const odd = ["", "%", "%00", "%ff%fe", "x".repeat(5000), "[]", "<script>", "\u{1F600}", "a b", "null"];
  for (const text of odd) {
    const value = encodeURIComponent(text);
    for (const path of ["/auth", "/auth/sign-in", "/auth/token", "/auth/userinfo"]) {
      const query = `?client_id=${value}&redirect_uri=${value}&next=${value}&scope=${value}&me=${value}&${text}`;
      expect((await at.fetch(path + query.replace(/[^\x21-\x7e]/g, ""))).status).toBeLessThan(500);
    }
    const fields = { code: text, token: text, refresh_token: text, client_id: text, code_verifier: text };
    for (const path of ["/auth", "/auth/token", "/auth/revoke", "/auth/introspect", "/auth/consent"])
      for (const grant_type of ["authorization_code", "refresh_token", text])
        expect((await at.appPost(path, { ...fields, grant_type })).status).toBeLessThan(500);
    expect((await at.appPost("/auth/sign-in", { email: text, password: text })).status).toBeLessThan(500);
  }
});

test("values from the app are shown as text", async () => {
  const at = await startSignIn();
  await enter(at.browser);
  const state = '"><script>alert(1)</script>';
  const page = await (await at.browser.get(authPath({ state }))).text();
  expect(page).not.toContain("<script");
  expect(page).toContain(EMAIL);
  const back = await consent(at, { state });
  expect(back.searchParams.get("state")).toBe(state);
  expect((await exchange(at, back)).status).toBe(200);
});
