import { describe, expect, test } from "bun:test";
import { listKeys } from "../../src/accounts/api-keys";
import { enter, startSignIn } from "../owner/signing-in";
import { fieldsIn } from "../support/cookie-browser";
import { MINUTE } from "../support/platen";
import { authPath, consent, exchange, REQUEST } from "./app";

describe("authorizing an app", () => {
  test("leads through sign-in, consent and code to a token that can post", async () => {
    const at = await startSignIn();
    const { browser } = at;
    const first = await browser.get(authPath());
    expect(first.status).toBe(302);
    const signInAt = first.headers.get("location") as string;
    expect(signInAt).toStartWith("/auth/sign-in?next=%2Fauth%3F");

    const form = await (await browser.get(signInAt)).text();
    expect(form).toContain("app.example");
    const entered = await enter(
      browser,
      fieldsIn(form).next ? { next: decodeEntities(fieldsIn(form).next?.[0]) } : {},
    );
    expect([entered.status, entered.headers.get("location")]).toEqual([303, authPath()]);

    const page = await (await browser.get(entered.headers.get("location") as string)).text();
    expect(page).toContain("app.example");
    expect(page).toContain("<strong>app.example</strong>/callback");
    expect(page).toContain("Publish new posts");
    expect(page).toContain("Read your posts and drafts");
    const sent = await browser.post("/auth/consent", { ...fieldsIn(page), answer: "allow" });
    const back = new URL(sent.headers.get("location") as string);
    expect([sent.status, back.origin + back.pathname]).toEqual([302, REQUEST.redirect_uri]);
    expect([...back.searchParams.keys()]).toEqual(["code", "state", "iss"]);
    expect([back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual([
      "st&te=1",
      "http://blog.test/",
    ]);

    const { status, headers, body } = await exchange(at, back);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body.access_token).toMatch(/^platen_[\w-]{32,}$/);
    expect(body.refresh_token).toBeString();
    expect([body.token_type, body.me]).toEqual(["Bearer", "http://blog.test/"]);
    expect(body.profile).toEqual({ name: "Ada", url: "http://blog.test/" });
    expect(body.scope.split(" ").sort()).toEqual(["create", "media", "profile", "read", "update"]);
    const authorization = `Bearer ${body.access_token}`;
    const post = await at.api("POST", "/posts", { post: { title: "From an app" } }, { authorization });
    expect(post.status).toBe(201);
    expect((await at.api("DELETE", `/posts/${post.body.post.id}`, undefined, { authorization })).status).toBe(
      403,
    );
  });

  test("lists the app's key, and revoking it ends access", async () => {
    const at = await startSignIn();
    const { body } = await exchange(at, await consent(at));
    const key = listKeys(at.platen).at(-1);
    expect(key).toMatchObject({ name: "app.example", clientId: REQUEST.client_id, expiresAt: null });
    at.platen.db.$client.run("UPDATE keys SET revoked_at = 1 WHERE client_id IS NOT NULL");
    const authorization = `Bearer ${body.access_token}`;
    expect((await at.api("GET", "/info", undefined, { authorization })).status).toBe(401);
  });

  test("grants only ticked scopes; `undelete` goes with `update`", async () => {
    const at = await startSignIn();
    const scope = "create update undelete delete email profile follow";
    const all = await exchange(at, await consent(at, { scope }));
    expect(all.body.scope.split(" ").sort()).toEqual(
      ["create", "delete", "email", "profile", "read", "undelete", "update"].sort(),
    );
    expect(all.body.profile.email).toBe("ada@example.com");
    const some = await exchange(at, await consent(at, { scope }, { scope: ["create", "media", "admin"] }));
    expect(some.body.scope).toBe("create");
    expect(some.body.profile).toBeUndefined();
  });

  test("notifies a denied app, and creates nothing", async () => {
    const at = await startSignIn();
    const back = await consent(at, {}, { answer: "deny" });
    expect(back.searchParams.get("error")).toBe("access_denied");
    expect(back.searchParams.get("state")).toBe("st&te=1");
    expect(back.searchParams.get("iss")).toBe("http://blog.test/");
    expect(back.searchParams.has("code")).toBe(false);
  });

  test("keeps the query of redirect_uri, and adds no state if there was none", async () => {
    const at = await startSignIn();
    const redirect_uri = "https://app.example/callback?a=b%20c";
    const back = await consent(at, { redirect_uri, state: undefined });
    expect(back.search).toStartWith("?a=b%20c&code=");
    expect([...back.searchParams.keys()]).toEqual(["a", "code", "iss"]);
    expect((await exchange(at, back, { redirect_uri })).status).toBe(200);
  });
});

describe("signing in to an app without access", () => {
  test("returns `me` from the profile exchange, and no token from the token endpoint", async () => {
    const at = await startSignIn();
    const back = await consent(at, { scope: undefined });
    expect((await exchange(at, back, {}, "/auth")).body).toEqual({ me: "http://blog.test/" });
    const other = await exchange(at, await consent(at, { scope: undefined }));
    expect([other.status, other.body.error]).toEqual([400, "invalid_grant"]);
  });

  test("returns the name with `profile` and the address with `email`", async () => {
    const at = await startSignIn();
    const back = await consent(at, { scope: "profile email" });
    expect((await exchange(at, back, {}, "/auth")).body).toEqual({
      me: "http://blog.test/",
      profile: { name: "Ada", url: "http://blog.test/", email: "ada@example.com" },
    });
    expect((await exchange(at, back, {}, "/auth")).body.error).toBe("invalid_grant");
  });
});

describe("a person with several blogs", () => {
  const two = async () => {
    const at = await startSignIn();
    return { at, second: at.newBlog({ title: "Second", slug: "second" }) };
  };

  test("chooses the blog by `me`, with or without scheme and slash", async () => {
    const { at, second } = await two();
    for (const me of ["http://blog.test/@second/", "blog.test/@second", "HTTPS://Blog.Test/@second"]) {
      const { body } = await exchange(at, await consent(at, { me }));
      expect(body.me).toBe("http://blog.test/@second/");
      const info = await at.api("GET", "/info", undefined, { authorization: `Bearer ${body.access_token}` });
      expect(info.body.blogs.map(({ id }: { id: number }) => id)).toEqual([second.id]);
    }
    const { body } = await exchange(at, await consent(at, { me: "https://elsewhere.example/" }));
    expect(body.me).toBe("http://blog.test/");
  });

  test("grants access to the ticked blogs; at least one is required", async () => {
    const { at, second } = await two();
    const both = [String(at.blog.id), String(second.id)];
    const { body } = await exchange(at, await consent(at, {}, { blog: both }));
    const authorization = `Bearer ${body.access_token}`;
    expect((await at.api("GET", "/info", undefined, { authorization })).body.blogs).toHaveLength(2);
    const other = await exchange(at, await consent(at, {}, { blog: String(second.id) }));
    expect(other.body.me).toBe("http://blog.test/@second/");
    expect(consent(at, {}, { blog: [] })).rejects.toThrow("400");
  });

  test("uses the blog they signed in with if a request names none", async () => {
    const { at, second } = await two();
    const both = [String(at.blog.id), String(second.id)];
    const { body } = await exchange(at, await consent(at, { me: "blog.test/@second" }, { blog: both }));
    const authorization = `Bearer ${body.access_token}`;
    const made = await at.api("POST", "/posts", { post: { title: "Where" } }, { authorization });
    expect(made.body.post.blog.id).toBe(second.id);
  });

  test("cannot choose another account's blog or none", async () => {
    const { at } = await two();
    const hers = at.newBlog({ title: "Hers", slug: "hers" }, at.newAccount("mallory@example.com"));
    for (const blog of [String(hers.id), "999", "x"])
      expect(consent(at, {}, { blog })).rejects.toThrow("403");
  });
});

describe("an authorization code", () => {
  test("works only for its app, redirect_uri and verifier", async () => {
    const at = await startSignIn();
    const back = await consent(at);
    const wrong: [Record<string, string>, string][] = [
      [{ code_verifier: "another-verifier-another-verifier-another-verifier" }, "invalid_grant"],
      [{ code_verifier: "" }, "invalid_request"],
      [{ redirect_uri: "https://app.example/other" }, "invalid_grant"],
      [{ redirect_uri: "" }, "invalid_request"],
      [{ client_id: "https://other.example/" }, "invalid_grant"],
      [{ client_id: "" }, "invalid_request"],
      [{ code: "guess" }, "invalid_grant"],
      [{ code: "" }, "invalid_request"],
      [{ grant_type: "password" }, "unsupported_grant_type"],
      [{ grant_type: "" }, "invalid_request"],
    ];
    for (const [changes, error] of wrong) {
      const answer = await exchange(at, back, changes);
      expect([changes, answer.status, answer.body.error]).toEqual([changes, 400, error]);
      expect(answer.body.error_description).toBeString();
    }
    expect((await exchange(at, back)).status).toBe(200);
  });

  test("works once; a second use revokes the first token", async () => {
    const at = await startSignIn();
    const back = await consent(at);
    const { body } = await exchange(at, back);
    const authorization = `Bearer ${body.access_token}`;
    expect((await at.api("GET", "/info", undefined, { authorization })).status).toBe(200);
    expect((await exchange(at, back)).body.error).toBe("invalid_grant");
    expect((await at.api("GET", "/info", undefined, { authorization })).status).toBe(401);
  });

  test("used twice at the same time leaves no valid token", async () => {
    const at = await startSignIn();
    const back = await consent(at);
    const answers = await Promise.all([exchange(at, back), exchange(at, back)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(listKeys(at.platen).filter((key) => key.clientId && !key.revokedAt)).toEqual([]);
  });

  test("expires after five minutes", async () => {
    const at = await startSignIn();
    const back = await consent(at);
    const late = await consent(at);
    at.pass(5 * MINUTE - 1);
    expect((await exchange(at, back)).status).toBe(200);
    at.pass(1);
    expect((await exchange(at, late)).body.error).toBe("invalid_grant");
  });

  test("is deleted if it is never used", async () => {
    const at = await startSignIn();
    await consent(at);
    at.pass(5 * MINUTE);
    await exchange(at, await consent(at));
    at.pass(5 * MINUTE - 1);
    await consent(at);
    const rows = at.platen.db.$client.query("SELECT used_for_key_id AS k FROM authorization_codes").values();
    expect(rows.flat().sort()).toEqual([2, null]);
  });

  test("is stored as a hash", async () => {
    const at = await startSignIn();
    const code = (await consent(at)).searchParams.get("code") as string;
    const row = at.platen.db.$client.query("SELECT * FROM authorization_codes").get();
    expect(JSON.stringify(row)).not.toContain(code.slice(0, 40));
  });
});

const decodeEntities = (text = "") => text.replaceAll("&amp;", "&");
