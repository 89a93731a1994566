import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, runPlaten, startServer } from "../support/program";

interface Finding {
  about: string;
  state: string;
  says: string;
  advice: string;
}

async function setUp(): Promise<string> {
  const data = freshFolder();
  await runPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data]);
  return data;
}

async function doctor(data: string, env: Record<string, string> = {}) {
  const { code, stdout } = await runPlaten(["doctor", "--json", "--data", data], { env });
  return { code, findings: JSON.parse(stdout) as Finding[] };
}

const about = (findings: Finding[], name: string) => findings.find((one) => one.about === name);

test("doctor says of a new folder what could be better, and what to type; exit 0", async () => {
  const data = await setUp();
  const { code, stdout } = await runPlaten(["doctor", "--data", data]);
  expect(stdout).toContain("✓ database:");
  expect(stdout).toContain("• backup: None is known of.\n  → Set PLATEN_BACKUP, or type: platen backup DEST");
  expect(stdout).toContain("Set PLATEN_URL to the address that your readers use.");
  expect(code).toBe(0);
});

test("doctor sees files of the future: somebody set the clock back; exit 1", async () => {
  const data = await setUp();
  const ahead = new Date(Date.now() + 5 * 3_600_000);
  utimesSync(join(data, "platen.db"), ahead, ahead);
  const { code, findings } = await doctor(data);
  expect(about(findings, "clock")?.state).toBe("fault");
  expect(code).toBe(1);
});

test("doctor asks as readers do: an address that leads elsewhere, and what the proxy in front does not pass on", async () => {
  const data = await setUp();
  // A name of this machine that nobody takes for one.
  const host = "0.0.0.0";
  let passedOn: Record<string, string> = {};
  let behind = "";
  using proxy = Bun.serve({
    hostname: host,
    port: 0,
    fetch: (request) =>
      behind === ""
        ? new Response("Another server's page")
        : fetch(behind + new URL(request.url).pathname, { headers: passedOn }),
  });
  const url = `http://${host}:${proxy.port}`;
  const env = { PLATEN_URL: url, PLATEN_PRIVATE_HOSTS: "127.0.0.0/8,0.0.0.0" };
  const strange = await doctor(data, env);
  expect(about(strange.findings, host)?.says).toContain("but it is not this Platen");
  expect(strange.code).toBe(1);

  await using server = await startServer({ data, env });
  behind = server.url;
  const found = async () => about((await doctor(data, env)).findings, `proxy of ${host}`);
  expect((await found())?.says).toContain(`Platen is asked for ${server.url}`);
  passedOn = { host: `${host}:${proxy.port}` };
  expect((await found())?.says).toContain("Everybody seems to ask from this machine");
  passedOn["x-forwarded-for"] = "203.0.113.9";
  expect(await found()).toMatchObject({ state: "fine", advice: "" });
});

test("what a server complains of is JSON where that is asked for, a line each, stacks too", async () => {
  await using server = await startServer({ args: ["--log", "json", "--host", "0.0.0.0"] });
  const [line] = server.stderr().split("\n");
  expect(JSON.parse(line as string)).toMatchObject({ message: expect.stringContaining("set PLATEN_URL") });
  const { code, stderr } = await runPlaten(["serve", "--log", "xml", "--data", freshFolder()]);
  expect([code, stderr]).toEqual([2, '--log is "xml"; it must be text or json.\n']);
});
