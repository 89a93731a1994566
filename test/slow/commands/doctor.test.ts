import { expect, test } from "bun:test";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diagnose } from "../../../src/upkeep/doctor";
import { PROXY_ECHO_PATH } from "../../../src/upkeep/doctor-address-checks";
import { markDamaged } from "../../../src/upkeep/recovery/damaged-database";
import { callPlaten } from "../../support/command";
import { freshFolder, runPlaten, runToEnd, startServer } from "../../support/program";
import { receiver, startSending } from "../../support/receiver";
import { temporaryFolder } from "../../support/temporary";

interface Finding {
  about: string;
  state: string;
  message: string;
  advice: string;
}

async function setUp(): Promise<string> {
  const data = freshFolder();
  await callPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data]);
  return data;
}

async function doctor(data: string, env: Record<string, string> = {}) {
  // A process reads the trusted certificates when it starts.
  const run = "NODE_EXTRA_CA_CERTS" in env ? runPlaten : callPlaten;
  const { code, stdout } = await run(["doctor", "--json", "--data", data], { env });
  return { code, findings: JSON.parse(stdout) as Finding[] };
}

const findingNamed = (findings: Finding[], name: string) => findings.find((one) => one.about === name);

test("a new folder gets suggestions with commands, and exit code 0", async () => {
  const data = await setUp();
  const { code, stdout } = await callPlaten(["doctor", "--data", data]);
  expect(stdout).toContain("✓ database:");
  expect(stdout).toContain(
    "• backup: No backup has been made yet.\n  → Turn on backups in the admin (/admin/backups), or run: platen backup DEST",
  );
  expect(stdout).toContain("Set PLATEN_URL to your public address.");
  expect(code).toBe(0);
});

test("files with future times are reported, with exit code 1", async () => {
  const data = await setUp();
  const ahead = new Date(Date.now() + 5 * 3_600_000);
  utimesSync(join(data, "platen.db"), ahead, ahead);
  const { code, findings } = await doctor(data);
  expect(findingNamed(findings, "clock")?.state).toBe("error");
  expect(code).toBe(1);
});

test("requests like a reader's find a wrong address and headers that the proxy does not forward", async () => {
  const data = await setUp();
  // A name of this machine that does not look like one.
  const host = "0.0.0.0";
  let passedOn: Record<string, string> = {};
  let behind = "";
  let lastBackup = "never";
  let status = 404;
  using proxy = Bun.serve({
    hostname: host,
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (behind === "") return new Response("Another server's page");
      return pathname.startsWith(lastBackup)
        ? new Response("Nothing here", { status })
        : fetch(behind + pathname, { headers: passedOn });
    },
  });
  const url = `http://${host}:${proxy.port}`;
  const env = { PLATEN_URL: url, PLATEN_PRIVATE_HOSTS: "127.0.0.0/8,0.0.0.0" };
  const strange = await doctor(data, env);
  expect(findingNamed(strange.findings, host)?.message).toContain("but is not this server");
  expect(strange.code).toBe(1);

  await using server = await startServer({ data, env });
  behind = server.url;
  const proxyFinding = async () => findingNamed((await doctor(data, env)).findings, `proxy of ${host}`);
  expect((await proxyFinding())?.message).toContain(`reach Platen as ${server.url}`);
  passedOn = { host: `${host}:${proxy.port}` };
  expect((await proxyFinding())?.message).toContain("All requests seem to come from this machine");
  passedOn["x-forwarded-for"] = "203.0.113.9";
  expect(await proxyFinding()).toMatchObject({ state: "ok", advice: "" });
  expect(findingNamed((await doctor(data, env)).findings, `certificate of ${host}`)).toMatchObject({
    state: "warning",
    message: expect.stringContaining("does not use https"),
  });
  lastBackup = PROXY_ECHO_PATH;
  expect(await proxyFinding()).toMatchObject({ state: "error", advice: "Forward all paths to Platen." });
  status = 200;
  expect((await proxyFinding())?.message).toContain("reach Platen as an unknown address");
});

/** A self-signed certificate, valid from some days ago for some days from now. */
async function certificate(ago: number, ahead: number): Promise<{ key: string; cert: string }> {
  const folder = temporaryFolder("doctor");
  const file = (name: string, text = "") => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [key, request, cert] = ["key.pem", "request.pem", "cert.pem"].map((name) => join(folder, name));
  const config = file(
    "config",
    `[ca]\ndefault_ca=own\n[own]\ndatabase=${file("index")}\nserial=${file("serial", "01\n")}\nnew_certs_dir=${folder}
default_md=sha256\npolicy=any\nx509_extensions=names\n[any]\ncommonName=supplied\n[names]\nsubjectAltName=IP:0.0.0.0\n`,
  );
  const day = (days: number) =>
    new Date(Date.now() + days * 86_400_000)
      .toISOString()
      .replace(/\..*|[-:T]/g, (part) => (part.length > 1 ? "Z" : ""));
  const openssl = async (words: string) =>
    expect(await runToEnd(["openssl", ...words.split(" ")])).toMatchObject({ code: 0 });
  await openssl(`req -newkey rsa:2048 -nodes -subj /CN=blog -keyout ${key} -out ${request}`);
  const from = `ca -batch -selfsign -config ${config} -in ${request} -keyfile ${key} -out ${cert} -notext`;
  await openssl(`${from} -startdate ${day(-ago)} -enddate ${day(ahead)}`);
  return { key: key as string, cert: cert as string };
}

test.skipIf(!Bun.which("openssl"))(
  "invalid certificates, and those that expire soon, are reported",
  async () => {
    const data = await setUp();
    const host = "0.0.0.0";
    let behind = "";
    for (const [ago, ahead, state, says] of [
      [85, 4.5, "error", "The certificate expires in 4 days."],
      [60, 30.5, "ok", "The certificate is valid for another 30 days."],
      [2, 4.5, "ok", "The certificate is valid for another 4 days."],
      [0.1, 0.4, "ok", "The certificate is valid for another 9 hours."],
      [5.5, 0.5, "error", "The certificate expires in 11 hours."],
    ] as const) {
      const { key, cert } = await certificate(ago, ahead);
      using proxy = Bun.serve({
        hostname: host,
        port: 0,
        tls: { key: Bun.file(key), cert: Bun.file(cert) },
        fetch: ({ url, headers }) =>
          fetch(behind + new URL(url).pathname, {
            headers: {
              host: headers.get("host") as string,
              "x-forwarded-proto": "https",
              "x-forwarded-for": "203.0.113.9",
            },
          }),
      });
      const env = {
        PLATEN_URL: `https://${host}:${proxy.port}`,
        PLATEN_PRIVATE_HOSTS: "127.0.0.0/8,0.0.0.0",
      };
      await using server = await startServer({ data, env });
      behind = server.url;
      const refused = await doctor(data, env);
      expect(findingNamed(refused.findings, host)).toMatchObject({
        state: "error",
        message: expect.stringContaining("browsers reject its certificate"),
        advice: expect.stringContaining("renews it"),
      });
      const trusting = await doctor(data, { ...env, NODE_EXTRA_CA_CERTS: cert });
      expect(findingNamed(trusting.findings, `proxy of ${host}`)).toMatchObject({ state: "ok" });
      expect(findingNamed(trusting.findings, `certificate of ${host}`)).toMatchObject({
        state,
        message: says,
      });
      await server.stop();
    }
  },
);

test("an unknown host name and one of another server are distinguished, and the age of the last backup is shown", async () => {
  const data = await setUp();
  const place = freshFolder();
  expect((await callPlaten(["backup", place, "--data", data])).code).toBe(0);
  const note = join(data, ".last-backup");
  const { place: kept } = JSON.parse(readFileSync(note, "utf8"));
  const weeksAgo = new Date(Date.now() - 33.5 * 86_400_000).toISOString();
  writeFileSync(note, JSON.stringify({ at: weeksAgo, place: kept }));
  const second = "blog add --account ada@example.com --title Second --domain no-record.invalid --data";
  expect((await callPlaten([...second.split(" "), data])).code).toBe(0);
  const { code, findings } = await doctor(data, { PLATEN_URL: "https://typing-error.invalid" });
  expect(findingNamed(findings, "no-record.invalid")).toMatchObject({
    state: "error",
    message: expect.stringContaining("does not resolve"),
    advice: expect.stringMatching(/^Check the DNS record/),
  });
  expect(findingNamed(findings, "typing-error.invalid")).toMatchObject({
    state: "error",
    message: expect.stringContaining("does not resolve"),
    advice: expect.stringContaining("Set PLATEN_URL to your public address."),
  });
  expect(findingNamed(findings, "backup")).toMatchObject({
    state: "warning",
    message: `The last complete backup is 33 days old, at ${kept}.`,
  });
  expect(code).toBe(1);
  const scheduled = await doctor(data, { PLATEN_BACKUP: place });
  expect(findingNamed(scheduled.findings, "backup")).toMatchObject({
    state: "error",
    advice: "See the reason in the server's log, or run: platen backup DEST",
  });
});

test("a damaged database is reported with the command to type", async () => {
  const { platen } = startSending();
  expect(findingNamed(await diagnose(platen), "database")?.state).toBe("ok");
  markDamaged(platen, "a page is torn");
  expect(findingNamed(await diagnose(platen), "database")).toMatchObject({
    state: "error",
    advice: "Run: platen recover",
  });
});

test("webhooks that fail or are off are named with the command to type", async () => {
  const { platen, api, addUrl, loop } = startSending();
  const gone = receiver();
  const away = receiver();
  const webhookFindings = async () => (await diagnose(platen)).filter((one) => /webhook/.test(one.about));
  expect(await webhookFindings()).toEqual([]);
  for (const { url } of [gone, away]) addUrl(url);
  expect(await webhookFindings()).toMatchObject([{ about: "webhooks", state: "ok" }]);
  gone.respondWith(() => new Response("", { status: 410 }));
  away.respondWith(() => new Response("", { status: 500 }));
  await api("POST", "/posts", { post: { title: "News", status: "published" } });
  await loop.step();
  expect(await webhookFindings()).toEqual([
    {
      about: "webhook of ada",
      state: "error",
      message: `${gone.url} is disabled. The response was 410 Gone.`,
      advice: "Repair the receiver, then run: platen webhook enable",
    },
    {
      about: "webhook of ada",
      state: "warning",
      message: `${away.url} has failed since ${platen.now().toISOString()}.`,
      advice: "See: platen webhook log",
    },
  ]);
});

test("a server with JSON logs writes one line per error, including the stack", async () => {
  await using server = await startServer({ args: ["--log", "json", "--host", "0.0.0.0"] });
  await server.untilStderr(/\n/);
  const [line] = server.stderr().split("\n");
  expect(JSON.parse(line as string)).toMatchObject({ message: expect.stringContaining("set PLATEN_URL") });
  const { code, stderr } = await callPlaten(["serve", "--log", "xml", "--data", freshFolder()]);
  expect([code, stderr]).toEqual([2, '--log is "xml"; it must be text or json.\n']);
});
