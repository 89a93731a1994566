import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";

test("a fault of ours is told at every door in its own way, without details; the log has those, and no secret", async () => {
  const at = startPlaten();
  for (const table of ["keys", "blogs", "accounts", "posts"])
    at.platen.db.$client.run(`ALTER TABLE ${table} RENAME TO gone_${table}`);
  const says = { message: "Platen failed to do this; its log says why." };
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
    const said = await answer.text();
    expect(said).toContain(says.message);
    expect(said).not.toContain("no such table");
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
