import { expect, test } from "bun:test";
import IndieAuth from "indieauth-helper";
import { fieldsIn } from "../support/cookie-browser";
import { runPlaten, startServer } from "../support/program";

const APP = { clientId: "http://localhost:3000/", redirectUri: "http://localhost:3000/callback" };

test("an app made with a client library signs in to a running server with only the blog's URL", async () => {
  await using server = await startServer();
  await runPlaten(
    ["setup", "--email", "ada@example.com", "--title", "Ada", "--password-stdin", "--data", server.data],
    { stdin: "a long enough one\n" },
  );
  const app = new IndieAuth({ me: server.url, ...APP, secret: "s", codeVerifier: "v".repeat(64) });
  const authUrl = await app.getAuthUrl("code", ["create", "update", "media"]);
  expect(authUrl).toStartWith(`${server.url}/auth?`);

  const back = new URL(await answerAsOwner(server.url, authUrl));
  expect(back.href).toStartWith(`${APP.redirectUri}?code=`);
  expect(back.searchParams.get("iss")).toBe(`${server.url}/`);
  const key = await app.getToken(back.searchParams.get("code") as string);

  for (const query of ["", "?q=config", "?q=source"]) {
    const answer = await fetch(`${server.url}/micropub${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([query, answer.status]).toEqual([query, 200]);
  }
  const keys = await runPlaten(["key", "list", "--json", "--data", server.data]);
  expect(JSON.parse(keys.stdout)).toMatchObject([
    { name: "API key" },
    { name: "localhost:3000", scopes: ["create", "update", "media", "read"], blogs: ["ada"] },
  ]);
});

/** Signs in and consents like the owner. @returns the final redirect */
async function answerAsOwner(base: string, asked: string): Promise<string> {
  const post = (path: string, form: URLSearchParams, cookie = "") =>
    fetch(base + path, { method: "POST", body: form, headers: { origin: base, cookie }, redirect: "manual" });
  const entered = await post(
    "/auth/sign-in",
    new URLSearchParams({ email: "ada@example.com", password: "a long enough one" }),
  );
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  const page = await (await fetch(asked, { headers: { cookie } })).text();
  const fields = Object.entries(fieldsIn(page)).flatMap(([name, values]) =>
    values.map((value) => [name, value]),
  );
  const answer = await post("/auth/consent", new URLSearchParams([...fields, ["answer", "allow"]]), cookie);
  return answer.headers.get("location") ?? "";
}
