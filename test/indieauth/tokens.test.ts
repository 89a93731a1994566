import { describe, expect, test } from "bun:test";
import { enter, type SignIn, startSignIn } from "../owner/signing-in";
import { fieldsIn } from "../support/cookie-browser";
import { DAY, START } from "../support/platen";
import { authPath, consent, exchange, REQUEST } from "./app";

const authorizeApp = async (scope = REQUEST.scope) => {
  const at = await startSignIn();
  const { body } = await exchange(at, await consent(at, { scope }));
  return { at, access: body.access_token as string, refresh: body.refresh_token as string };
};

const isValid = async (at: SignIn, key: string) => (await at.appGet("/auth/token", key)).status === 200;

test("the metadata names every endpoint on every host, with CORS", async () => {
  const at = await startSignIn();
  const answer = await at.fetch("http://other.test/.well-known/oauth-authorization-server");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  const document = await answer.json();
  expect(document).toMatchObject({
    issuer: "http://blog.test/",
    authorization_endpoint: "http://blog.test/auth",
    token_endpoint: "http://blog.test/auth/token",
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
  for (const name of ["introspection", "revocation", "userinfo"]) {
    const endpoint = document[`${name}_endpoint`];
    const method = name === "userinfo" ? "GET" : "POST";
    expect((await at.fetch(endpoint, { method })).status).not.toBe(404);
  }
});

describe("a token", () => {
  test("is valid until it is revoked", async () => {
    const { at, access } = await authorizeApp();
    at.pass(3650 * DAY);
    expect(await isValid(at, access)).toBe(true);
    await at.appPost("/auth/revoke", { token: access });
    expect(await isValid(at, access)).toBe(false);
  });

  test("stays valid after a new password; an unused code does not", async () => {
    const { at, access } = await authorizeApp();
    const code = await consent(at);
    at.changePassword(await Bun.password.hash("another long one"));
    expect(await isValid(at, access)).toBe(true);
    expect((await exchange(at, code)).body.error).toBe("invalid_grant");
  });

  test("is revoked by its access or refresh token at either endpoint; unknown tokens get the same response", async () => {
    for (const path of ["/auth/revoke", "/auth/token"])
      for (const which of ["access", "refresh"] as const) {
        const started = await authorizeApp();
        const answer = await started.at.appPost(path, { action: "revoke", token: started[which] });
        expect([answer.status, await isValid(started.at, started.access)]).toEqual([200, false]);
        const again = { action: "revoke", token: started[which] };
        expect((await started.at.appPost(path, again)).status).toBe(200);
        expect((await started.at.appPost(path, { action: "revoke", token: "x" })).status).toBe(200);
      }
  });

  test("can be introspected with a key: owner, scopes and time", async () => {
    const { at, access } = await authorizeApp();
    const authorization = `Bearer ${at.key}`;
    const known = await at.appPost("/auth/introspect", { token: access }, { authorization });
    expect([known.status, known.body]).toEqual([
      200,
      {
        active: true,
        me: "http://blog.test/",
        client_id: REQUEST.client_id,
        scope: "create update media profile read",
        iat: START.getTime() / 1000,
        token_type: "Bearer",
      },
    ]);
    const unknown = await at.appPost("/auth/introspect", { token: "x" }, { authorization });
    expect([unknown.status, unknown.body]).toEqual([200, { active: false }]);
    const byHand = at.newKey({ lifetime: DAY, scopes: ["read"] });
    expect((await at.appPost("/auth/introspect", { token: byHand }, { authorization })).body).toMatchObject({
      active: true,
      me: "http://blog.test/",
      exp: (START.getTime() + DAY) / 1000,
    });
    const anonymous = await at.appPost("/auth/introspect", { token: access });
    expect([anonymous.status, anonymous.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("can be verified at the token endpoint, as older clients do", async () => {
    const { at, access } = await authorizeApp();
    expect((await at.appGet("/auth/token", access)).body).toEqual({
      me: "http://blog.test/",
      client_id: REQUEST.client_id,
      scope: "create update media profile read",
    });
    expect(await at.appGet("/auth/token", "guess")).toMatchObject({
      status: 401,
      body: { error: "invalid_token" },
    });
  });

  test("returns the person at userinfo if `profile` was granted", async () => {
    const { at, access } = await authorizeApp("profile email");
    expect((await at.appGet("/auth/userinfo", access)).body).toEqual({
      name: "Ada",
      url: "http://blog.test/",
      email: "ada@example.com",
    });
    const silent = await authorizeApp("create");
    expect(await silent.at.appGet("/auth/userinfo", silent.access)).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope" },
    });
  });

  test("shows the e-mail address in the JSON API only if `email` was granted", async () => {
    for (const [scope, email] of [
      ["create profile", null],
      ["create email", "ada@example.com"],
    ] as const) {
      const { at, access } = await authorizeApp(scope);
      const info = await at.api("GET", "/info", undefined, { authorization: `Bearer ${access}` });
      expect(info.body.account).toEqual({ id: 1, name: "Ada", email });
    }
  });

  test("is not read from cookies, and works from other origins", async () => {
    const { at } = await authorizeApp();
    expect((await at.browser.get("/auth/userinfo")).status).toBe(401);
    for (const path of ["/auth/token", "/auth/userinfo", "/auth/introspect", "/auth/revoke", "/auth"]) {
      const { status, headers } = await at.fetch(path, { method: "OPTIONS" });
      expect([path, status]).toEqual([path, 204]);
      expect(headers.get("access-control-allow-headers")).toContain("Authorization");
    }
  });
});

describe("refreshing", () => {
  const renew = (at: SignIn, refresh_token: string, more: Record<string, string> = {}) =>
    at.appPost("/auth/token", {
      grant_type: "refresh_token",
      client_id: REQUEST.client_id,
      refresh_token,
      ...more,
    });

  test("replaces the token, and the old one is invalid", async () => {
    const { at, access, refresh } = await authorizeApp();
    const { status, body } = await renew(at, refresh);
    expect([status, body.me, body.scope]).toEqual([
      200,
      "http://blog.test/",
      "create update media profile read",
    ]);
    expect(body.access_token).toStartWith("platen_");
    expect([await isValid(at, access), await isValid(at, body.access_token)]).toEqual([false, true]);
    const keys = at.platen.db.$client
      .query("SELECT count(*) AS n FROM keys WHERE client_id IS NOT NULL")
      .get();
    expect(keys).toEqual({ n: 1 });
  });

  test("with a used refresh token revokes everything, because it was stolen", async () => {
    const { at, refresh } = await authorizeApp();
    const { body } = await renew(at, refresh);
    expect((await renew(at, refresh)).body.error).toBe("invalid_grant");
    expect(await isValid(at, body.access_token)).toBe(false);
    expect((await renew(at, body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("never grants more scopes, and may grant fewer", async () => {
    const { at, refresh } = await authorizeApp("create profile");
    const less = await renew(at, refresh, { scope: "create delete" });
    expect(less.body.scope).toBe("create");
    expect((await renew(at, less.body.refresh_token, { scope: "delete" })).body.error).toBe("invalid_grant");
  });

  test("works for the same app only, and not after revocation", async () => {
    const { at, access, refresh } = await authorizeApp();
    const other = await renew(at, refresh, { client_id: "https://other.example/" });
    expect(other.body.error).toBe("invalid_grant");
    for (const forged of ["guess", "1.a.b", refresh.replace(/^\d+/, "1"), `${refresh}x`])
      expect((await renew(at, forged)).body.error).toBe("invalid_grant");
    expect(await isValid(at, access)).toBe(true);
    await at.appPost("/auth/revoke", { token: access });
    expect((await renew(at, refresh)).body.error).toBe("invalid_grant");
  });
});

test("the request of an app survives signing out and in as someone else", async () => {
  const at = await startSignIn();
  await enter(at.browser);
  const page = await (await at.browser.get(authPath())).text();
  const { token = [], next: [back = ""] = [] } = fieldsIn(page.slice(page.indexOf("</form>") + 7));
  const left = await at.browser.post("/auth/sign-out", {
    token,
    next: back.replaceAll("&amp;", "&"),
  });
  const next = new URL(left.headers.get("location") as string, "http://blog.test").searchParams.get("next");
  expect(next).toBe(authPath());
});
