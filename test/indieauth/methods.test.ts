import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";

const listOf = (header: string | null) => header?.split(", ").sort();

test.each([
  ["PUT", "/auth", "GET, HEAD, POST, OPTIONS"],
  ["DELETE", "/auth/", "GET, HEAD, POST, OPTIONS"],
  ["PUT", "/auth/token", "GET, HEAD, POST, OPTIONS"],
  ["PUT", "/auth/revoke", "POST, OPTIONS"],
  ["GET", "/auth/revoke", "POST, OPTIONS"],
  ["PATCH", "/auth/introspect", "POST, OPTIONS"],
  ["POST", "/auth/userinfo", "GET, HEAD, OPTIONS"],
  ["DELETE", "/auth/consent", "POST"],
  ["GET", "/auth/consent", "POST"],
  ["PUT", "/auth/sign-in", "GET, HEAD, POST"],
  ["GET", "/auth/sign-out", "POST"],
])("%s %s returns 405 with the allowed methods", async (method, path, allow) => {
  const answer = await startPlaten().fetch(path, { method });
  expect([answer.status, listOf(answer.headers.get("allow"))]).toEqual([405, listOf(allow)]);
  const body = { error: "invalid_request", error_description: expect.stringContaining(method) };
  expect(await answer.json()).toEqual(body);
});

test.each(["GET", "PUT", "POST"])("an unknown path returns 404 to %s", async (method) => {
  const answer = await startPlaten().fetch("/auth/nope", { method });
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: "not_found", error_description: expect.any(String) },
  ]);
});

test("a wrong method or path is reported even if the body is invalid", async () => {
  const headers = { "content-type": "application/json" };
  const put = (path: string) => startPlaten().fetch(path, { method: "PUT", body: "{", headers });
  expect([(await put("/auth/token")).status, (await put("/auth/nope")).status]).toEqual([405, 404]);
});

test("pages respond to GET and HEAD", async () => {
  const at = startPlaten();
  for (const [path, status] of [
    ["/auth/sign-in", 200],
    ["/auth", 400],
  ] as const)
    for (const method of ["GET", "HEAD"]) {
      const page = await at.fetch(path, { method });
      expect([path, page.status]).toEqual([path, status]);
      expect(page.headers.get("content-type")).toStartWith("text/html");
    }
  expect((await at.fetch("/auth/token", { method: "HEAD" })).status).toBe(401);
});
