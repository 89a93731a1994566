import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";
import { startServer } from "../support/program";

const TOKEN = "a-token-of-monitors";
const WITH_TOKEN = { headers: { authorization: `Bearer ${TOKEN}` } };

/** "platen_posts{blog="ada",status="draft"} 2" → its value. */
async function metric(answer: Response, name: string): Promise<number | undefined> {
  const line = (await answer.clone().text()).split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

test("tell a monitor with the token what there is, and what is asked and goes wrong, counted up", async () => {
  const at = startPlaten({ metricsToken: TOKEN });
  const draft = 'platen_posts{blog="ada",status="draft"}';
  const before = await at.fetch("/metrics", WITH_TOKEN);
  expect(before.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await metric(before, draft)).toBe(0);
  await at.api("POST", "/posts", { post: { title: "One" } });
  const after = await at.fetch("/metrics", WITH_TOKEN);
  expect(await metric(after, draft)).toBe(1);
  expect(await metric(after, "platen_requests_total")).toBe(
    ((await metric(before, "platen_requests_total")) as number) + 2,
  );
  expect(await metric(after, "platen_faults_total")).toBe(0);
  at.platen.db.$client.run("DROP TABLE komments");
  await at.fetch("/metrics", WITH_TOKEN);
  at.platen.db.$client.run("CREATE TABLE komments (blog_id, status)");
  expect(await metric(await at.fetch("/metrics", WITH_TOKEN), "platen_faults_total")).toBe(1);
});

test("every line is a comment or a sample as Prometheus reads them, and each family is named once", async () => {
  const at = startPlaten({ metricsToken: TOKEN });
  const lines = (await (await at.fetch("/metrics", WITH_TOKEN)).text()).trimEnd().split("\n");
  const sample = /^[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? -?[\d.e+-]+$/;
  expect(lines.filter((line) => !/^# (HELP|TYPE) [a-z_]+ \S/.test(line) && !sample.test(line))).toEqual([]);
  const families = lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ")[2]);
  expect(new Set(families).size).toBe(families.length);
});

test("are for nobody else: no token where one is set, another token, a request that came through a proxy", async () => {
  const at = startPlaten({ metricsToken: TOKEN });
  expect((await at.fetch("/metrics")).status).toBe(403);
  const wrong = await at.fetch("/metrics", { headers: { authorization: `Bearer ${TOKEN.slice(1)}` } });
  expect(wrong.status).toBe(401);
  expect(await wrong.text()).not.toContain("platen_posts");
  const without = startPlaten();
  expect((await without.fetch("/metrics", { headers: { authorization: "Bearer null" } })).status).toBe(401);
});

test("are told this machine without a token, but nobody behind its proxy", async () => {
  await using server = await startServer();
  const own = await fetch(`${server.url}/metrics`);
  expect(own.status).toBe(200);
  expect(await metric(own, "platen_damaged")).toBe(0);
  const asked: Record<string, string>[] = [
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "127.0.0.1" },
    { via: "1.1 edge" },
  ];
  for (const headers of asked) expect((await fetch(`${server.url}/metrics`, { headers })).status).toBe(403);
});
