import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";

const origin = "https://app.example";

test("a preflight from any origin allows the API's methods and headers, without a key", async () => {
  const { fetch } = startPlaten();
  for (const path of ["/posts", "/posts/1", "/posts/1/publish", "/attachments", "/info"]) {
    const response = await fetch(`/api/v1${path}`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "PATCH" },
    });
    expect(response.status).toBe(204);
    const corsHeader = (name: string) => (response.headers.get(`access-control-${name}`) ?? "").toLowerCase();
    expect(corsHeader("allow-origin")).toBe("*");
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    for (const method of ["get", "post", "put", "patch", "delete"])
      expect(corsHeader("allow-methods")).toContain(method);
    for (const name of ["authorization", "content-type", "idempotency-key", "if-match", "if-none-match"])
      expect(corsHeader("allow-headers").split(", ")).toContain(name);
  }
});

test("scripts of any origin can read every response and its Location, ETag and Retry-After", async () => {
  const { api, fetch } = startPlaten();
  const made = await api("POST", "/posts", { post: { title: "a" } }, { origin });
  const answers = [
    made,
    await api("GET", "/posts/1", undefined, { origin }),
    await api("GET", "/posts/1", undefined, { "if-none-match": made.headers.get("etag") as string }),
    await api("DELETE", "/posts/1"),
    await api("GET", "/posts?page=0"),
    await api("POST", "/posts", "{"),
    await api("GET", "/nowhere"),
    await api("DELETE", "/info"),
    await fetch("/api/v1/posts", { headers: { origin } }),
    await fetch("/api/v1/openapi.json", { headers: { origin } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 304, 204, 400, 400, 404, 405, 401, 200]);
  for (const { headers } of answers) {
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toBe("Location, ETag, Retry-After");
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  }
});

test("public pages expose only the header Link to other origins", async () => {
  const { fetch } = startPlaten();
  expect((await fetch("/")).headers.get("access-control-expose-headers")).toBe("Link");
});
