import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { readSettings } from "../../src/config/config";
import { startJob } from "../../src/jobs/jobs";
import { markDamaged } from "../../src/upkeep/recovery/damaged-database";
import { checkJob } from "../../src/upkeep/upkeep-jobs";
import { startPlaten } from "../support/platen";
import { freshFolder, runPlaten, startServer } from "../support/program";
import { receiver, startSending } from "../support/receiver";

const TOKEN = "a-token-of-monitors";
const WITH_TOKEN = { headers: { authorization: `Bearer ${TOKEN}` } };

/** "platen_posts{blog="ada",status="draft"} 2" → its value. */
async function metric(answer: Response, name: string): Promise<number | undefined> {
  const line = (await answer.clone().text()).split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

test("GET /metrics with the token returns counters of requests and errors", async () => {
  const at = startPlaten({ metricsToken: TOKEN });
  const draft = 'platen_posts{blog="ada",status="draft"}';
  const before = await at.fetch("/metrics", WITH_TOKEN);
  expect(before.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(before.headers.get("cache-control")).toBe("no-store");
  expect(await before.clone().text()).toContain("# TYPE platen_requests_total counter\n");
  expect(await metric(before, draft)).toBe(0);
  await at.api("POST", "/posts", { post: { title: "One" } });
  const after = await at.fetch("/metrics", WITH_TOKEN);
  expect(await metric(after, draft)).toBe(1);
  expect(await metric(after, `platen_info{version="${manifest.version}"}`)).toBe(1);
  expect(await metric(after, "platen_requests_total")).toBe(
    ((await metric(before, "platen_requests_total")) as number) + 2,
  );
  expect(await metric(after, "platen_faults_total")).toBe(0);
  await at.api("POST", "/posts", { post: { title: "Two", type: "page" } });
  expect(await metric(await at.fetch("/metrics", WITH_TOKEN), draft)).toBe(2);
  at.platen.db.$client.run("DROP TABLE komments");
  await at.fetch("/metrics", WITH_TOKEN);
  at.platen.db.$client.run("CREATE TABLE komments (blog_id, status)");
  expect(await metric(await at.fetch("/metrics", WITH_TOKEN), "platen_faults_total")).toBe(1);
});

test("the metrics count sizes, free disk space, backups, and what is pending or failing", async () => {
  const at = startSending({ metricsToken: TOKEN });
  const { platen, blog } = at;
  const value = async (name: string) => metric(await at.fetch("/metrics", WITH_TOKEN), name);
  const names = ["jobs_unfinished", "webhook_deliveries_waiting", "webhooks_failing", "damaged"];
  const waiting = ["komments", "messages"].map((what) => `${what}_waiting{blog="ada"}`);
  const pendingValues = async () =>
    Promise.all([...names, ...waiting].map((name) => value(`platen_${name}`)));
  expect(await pendingValues()).toEqual([0, 0, 0, 0, 0, 0]);
  // Missing values have no sample.
  const none = await (await at.fetch("/metrics", WITH_TOKEN)).text();
  for (const name of ["last_backup_time", "last_snapshot_time", "purge_failing"])
    expect(none).not.toContain(`platen_${name}`);

  const { body } = await at.api("POST", "/posts", { post: { title: "A", status: "published" } });
  // One webhook that fails, and one that was turned off.
  for (const status of [503, 410]) at.addUrl(receiver(() => new Response("", { status })).url);
  await at.api("PATCH", `/posts/${body.post.id}`, { post: { title: "B" } });
  await at.loop.step();
  startJob(platen, checkJob, { blog: null, account: null, input: {} });
  const { $client } = platen.db;
  $client.run(
    `INSERT INTO komments (blog_id, post_id, status, name, source, html, created_at, edit_hash)
     VALUES (${blog.id}, ${body.post.id}, 'waiting', 'Bo', 'Hm.', '<p>Hm.</p>', 1, 'hash')`,
  );
  $client.run(
    `INSERT INTO messages (blog_id, name, address, text, created_at, status) VALUES (${blog.id}, 'Kim', '', 'Hello', 1, 'waiting')`,
  );
  const backup = { at: "2026-01-01T00:00:00.000Z", place: "/backup" };
  writeFileSync(join(platen.config.data, ".last-backup"), JSON.stringify(backup));
  expect(await pendingValues()).toEqual([1, 1, 2, 0, 1, 1]);
  expect(await value("platen_last_backup_time_seconds")).toBe(Date.parse(backup.at) / 1000);

  const size = (name: string) => statSync(join(platen.config.data, name)).size;
  expect(await value("platen_database_bytes")).toBe(size("platen.db"));
  expect(await value("platen_log_bytes")).toBe(size("platen.db-wal"));
  for (const name of ["platen_disk_free_bytes", "process_resident_memory_bytes"])
    expect([name, ((await value(name)) as number) > 0]).toEqual([name, true]);
  const { user, system } = process.cpuUsage();
  const spent = (await value("process_cpu_seconds_total")) as number;
  expect(spent).toBeWithin((user + system) / 1e6, (user + system) / 1e6 + 60);
  const startTime = (await value("process_start_time_seconds")) as number;
  expect(Math.abs(startTime - (Date.now() / 1000 - process.uptime()))).toBeLessThan(2);

  markDamaged(platen, "a page is torn");
  expect(await value("platen_damaged")).toBe(1);
});

test("every line is a valid comment or sample of Prometheus, and each family is declared once", async () => {
  const at = startPlaten({ metricsToken: TOKEN });
  const lines = (await (await at.fetch("/metrics", WITH_TOKEN)).text()).trimEnd().split("\n");
  const sample = /^[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? -?[\d.e+-]+$/;
  expect(lines.filter((line) => !/^# (HELP|TYPE) [a-z_]+ \S/.test(line) && !sample.test(line))).toEqual([]);
  const families = lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ")[2]);
  expect(new Set(families).size).toBe(families.length);
});

test("a wrong or missing token is rejected", async () => {
  const at = startPlaten({ metricsToken: TOKEN });
  expect((await at.fetch("/metrics")).status).toBe(403);
  const wrong = await at.fetch("/metrics", { headers: { authorization: `Bearer ${TOKEN.slice(1)}` } });
  expect(wrong.status).toBe(401);
  expect(await wrong.text()).not.toContain("platen_posts");
  const without = startPlaten();
  expect((await without.fetch("/metrics", { headers: { authorization: "Bearer null" } })).status).toBe(401);
});

test("without a token, only this machine gets metrics, but no request through its proxy", async () => {
  const data = freshFolder();
  for (const words of ["setup --email ada@example.com --title Ada", "snapshot"])
    expect((await runPlaten([...words.split(" "), "--data", data])).code).toBe(0);
  await using server = await startServer({ data });
  const own = await fetch(`${server.url}/metrics`);
  expect(own.status).toBe(200);
  expect(await metric(own, "platen_damaged")).toBe(0);
  const made = statSync(join(data, "snapshot.db")).mtimeMs / 1000;
  expect(Math.abs(((await metric(own, "platen_last_snapshot_time_seconds")) as number) - made)).toBeLessThan(
    1,
  );
  const proxyHeaders: Record<string, string>[] = [
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "127.0.0.1" },
    { via: "1.1 edge" },
  ];
  for (const headers of proxyHeaders)
    for (const path of ["/metrics", "/readyz?full"])
      expect((await fetch(server.url + path, { headers })).status).toBe(403);
});

test("the token must have 16 characters, and works through a proxy", async () => {
  const short = { PLATEN_METRICS_TOKEN: TOKEN.slice(0, 15) };
  expect(() => readSettings({}, short)).toThrow(
    "PLATEN_METRICS_TOKEN is too short; it must have at least 16 characters.",
  );
  const token = TOKEN.slice(0, 16);
  await using server = await startServer({ env: { PLATEN_METRICS_TOKEN: token } });
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "203.0.113.9" };
  for (const path of ["/metrics", "/readyz?full"])
    expect((await fetch(server.url + path, { headers })).status).toBe(200);
});

test("if the database does not respond, /readyz returns 503 and /livez 200", async () => {
  const at = startPlaten();
  const responseOf = async (path: string) => {
    const answer = await at.fetch(path);
    return [answer.status, await answer.text(), answer.headers.get("cache-control")];
  };
  expect(await responseOf("/readyz")).toEqual([200, "ready\n", "no-store"]);
  at.platen.db.$client.close(false);
  expect(await responseOf("/readyz")).toEqual([503, "The database does not respond.\n", "no-store"]);
  expect(await responseOf("/livez")).toEqual([200, "alive\n", "no-store"]);
});
