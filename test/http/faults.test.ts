import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";
import { allRoutes } from "../support/routes";

test("every adapter returns internal errors in its own format without details; the log has them without secrets", async () => {
  const at = startPlaten();
  for (const table of ["keys", "blogs", "accounts", "sessions", "posts"])
    at.platen.db.$client.run(`ALTER TABLE ${table} RENAME TO gone_${table}`);
  const says = { message: "Something went wrong on the server. See its log for details." };
  const oauth = { error: "server_error", error_description: says.message };
  const headers = { authorization: `Bearer ${at.key}` };
  for (const [path, body] of [
    ["/api/v1/info?secret", says],
    ["/micropub?secret", oauth],
    ["/auth/userinfo?secret", oauth],
  ] as const) {
    const answer = await at.fetch(path, { headers });
    expect([path, answer.status, await answer.json()]).toEqual([path, 500, body]);
  }
  for (const [path, sentence] of [
    ["/setup?token=secret", says.message],
    ["/hello?secret", "Something went wrong here"],
    ["/komments/hello/secret?secret", "Something went wrong here"],
    ...["/share/secret", "/@ada/share/secret", "/%73hare%2Fsecret", "/Share/secret/%"].map(
      (path) => [path, "Something went wrong here"] as const,
    ),
  ] as const) {
    const answer = await at.fetch(path);
    expect([path, answer.status, answer.headers.get("cache-control")]).toEqual([path, 500, "no-store"]);
    const page = await answer.text();
    expect(page).toContain(sentence);
    expect(page).not.toContain("no such table");
  }
  for (const path of ["/.well-known/platen-domain?domain=secret", "/admin/people?secret"]) {
    const answer = await at.fetch(path, { headers: { cookie: "platen_session=secret" } });
    expect([path, answer.status]).toEqual([path, 500]);
    const body = await answer.text();
    expect(body).toContain(says.message);
    expect(body).not.toContain("no such table");
  }
  expect(at.log.map((line) => /^(GET \S+) failed: .*no such table/.exec(line)?.[1])).toEqual(
    [
      ...["/api/v1/info", "/micropub", "/auth/userinfo", "/setup", "/hello", "/komments/*"],
      ...["/share/…", "/share/…", "/share/…", "/share/…"],
      ...["/.well-known/platen-domain", "/admin/people"],
    ].map((path) => `GET ${path}`),
  );
  expect(at.log.join()).not.toContain("secret");
});

test("the log contains no ids, slugs or secrets of any route", async () => {
  const at = startPlaten();
  const { $client } = at.platen.db;
  const routes = allRoutes(at.platen).filter(
    // With GET, the webmention endpoint is the path of a page, which is public.
    ({ path }) => path !== "/*" && path !== "/:at/webmention",
  );
  expect(routes.filter(({ path }) => path.startsWith("/auth/join/:")).length).toBeGreaterThan(0);
  for (const table of ["keys", "blogs", "accounts", "sessions", "invitations", "blobs", "komments"])
    $client.run(`ALTER TABLE ${table} RENAME TO gone_${table}`);
  const addresses = routes.map(({ path }) => path.replace(/:\w+|\*/g, "hush-hush"));
  const spoilt = [
    "/auth%2Fjoin/hush-hush",
    "//auth/join/hush-hush",
    "/AUTH/JOIN/hush-hush",
    "/@ada/auth/join/hush-hush",
    "/komments%2Fmine%2Fhush-hush",
    "//komments/mine/hush-hush",
    "/Komments/mine/hush-hush",
    "/@ada//share/hush-hush",
    "/share;jsessionid=1/hush-hush",
    "/share%5Chush-hush",
    "/share\\hush-hush",
    "/%2573hare%252Fhush-hush",
    "/auth%252Fjoin%252Fhush-hush",
    "/share%zz/hush-hush",
    "/share%00hush-hush",
    "/setup%3Ftoken=hush-hush",
    "/auth/%3Fcode=hush-hush",
    "/@ada/setup&token=hush-hush",
    "/share%20/hush-hush",
  ];
  for (const address of new Set([...addresses, ...spoilt]))
    for (const method of ["GET", "HEAD", "POST"])
      await at.fetch(`${address}?token=hush-hush`, {
        method,
        headers: { authorization: "Bearer hush-hush", cookie: "platen_session=hush-hush" },
        body: method === "POST" ? "ticket=hush-hush&email=hush-hush&password=hush-hush" : undefined,
      });
  expect(at.log.length).toBeGreaterThan(100);
  expect(at.log.filter((line) => line.includes("hush-hush"))).toEqual([]);
});
