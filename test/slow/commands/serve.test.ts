import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { freshFolder, runPlaten, setUpBlog, startServer } from "../../support/program";
import { until } from "../../support/waiting";

test("serve creates a private folder, and prints the address and a setup link until there is an account", async () => {
  await using server = await startServer();
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(statSync(server.data).mode & 0o777).toBe(0o700);
  const [address, link] = server.stdout().trimEnd().split("\n");
  expect(address).toBe(`Platen is at ${server.url}/`);
  expect(link).toMatch(new RegExp(`^Set up at ${server.url}/setup\\?token=[\\w-]{32,}$`));
});

test("a setup link of another start, or without a token, is rejected", async () => {
  await using server = await startServer();
  expect((await fetch(`${server.url}/setup?token=${"a".repeat(32)}`)).status).not.toBe(200);
  expect((await fetch(`${server.url}/setup`)).status).not.toBe(200);
});

test("a stopped server finishes its requests, does not checkpoint the WAL, and exits with 0", async () => {
  await using server = await startServer();
  const database = () => Bun.hash(readFileSync(join(server.data, "platen.db")));
  const atStart = database();
  const key = (
    await runPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", server.data])
  ).stdout.trim();
  const body = Promise.withResolvers<string>();
  const created = fetch(`${server.url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{"post":'));
        controller.enqueue(new TextEncoder().encode(await body.promise));
        controller.close();
      },
    }),
  });
  await fetch(`${server.url}/readyz`);
  const stopped = server.stop();
  await untilRefused(server.url);
  body.resolve('{"title":"Late"}}');
  expect((await created).status).toBe(201);
  expect(await stopped).toBe(0);
  expect(server.stderr()).toBe("");
  expect(database()).toBe(atStart);
  expect(statSync(join(server.data, "platen.db-wal")).size).toBeGreaterThan(4096);
});

test.concurrent("a stalled upload is cut off after ten seconds and leaves no file", async () => {
  await using server = await startServer();
  const setup = ["setup", "--email", "ada@example.com", "--title", "Ada", "--data", server.data];
  const key = (await runPlaten(setup)).stdout.trim();
  const { hostname, port } = new URL(server.url);
  const incoming = join(server.data, "media", ".incoming");
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const part = '--b\r\nContent-Disposition: form-data; name="attachment[file]"; filename="a.png"\r\n\r\n';
  socket.write(
    `POST /api/v1/attachments HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n\r\n${part}`,
  );
  socket.write(Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(500_000)]));
  await until(() => existsSync(incoming) && readdirSync(incoming).length > 0, `a file in ${incoming}`);
  expect(await server.stop()).toBe(0);
  expect(readdirSync(incoming)).toEqual([]);
});

test.concurrent("a connection that pipelines thousands of requests is closed", async () => {
  await using server = await startServer();
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  let received = "";
  socket.on("data", (data) => (received += data.toString("latin1")));
  const countResponses = () => received.split("HTTP/1.1 200").length - 1;
  socket.write(`GET /livez HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(20_000));
  await until(
    () => socket.destroyed || countResponses() === 20_000,
    "the connection to close",
    server.stderr,
  );
  expect(countResponses()).toBeLessThan(20_000);
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test.concurrent("after the data folder was moved, nothing is acknowledged that would be lost", async () => {
  const { data, key } = await setUpBlog();
  await using server = await startServer({ data });
  const write = (title: string) =>
    fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ post: { title, status: "published" } }),
    });
  expect((await write("Before")).status).toBe(201);
  renameSync(data, `${data}-moved`);
  await server.untilStderr(/platen\.db was moved or deleted/);
  expect((await write("After")).status).toBe(503);
  expect((await fetch(`${server.url}/before`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
  expect(await server.stop()).toBe(0);
  expect(await runPlaten(["check", "--data", `${data}-moved`])).toMatchObject({ code: 0 });
});

test.concurrent("a deleted lock file is created again", async () => {
  await using server = await startServer();
  const lock = join(server.data, ".serving");
  rmSync(lock);
  // The file exists shortly before the lock.
  const isLocked = () => {
    if (!existsSync(lock)) return false;
    using probe = new Database(lock, { readonly: true });
    try {
      probe.run("SELECT 1 FROM sqlite_master");
      return false;
    } catch {
      return true;
    }
  };
  await until(isLocked, "the lock to be taken again", server.stderr);
  const second = await runPlaten(["serve", "--port", "0", "--data", server.data]);
  expect(second).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Another Platen is serving"),
  });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
});

test.concurrent("a killed server has lost nothing after a restart", async () => {
  const first = await startServer();
  const key = (
    await runPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", first.data])
  ).stdout.trim();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (const title of ["One", "Two"])
    await fetch(`${first.url}/api/v1/posts`, {
      method: "POST",
      headers,
      body: JSON.stringify({ post: { title } }),
    });
  await first.kill();

  await using second = await startServer({ data: first.data });
  const { posts } = await (await fetch(`${second.url}/api/v1/posts?status=draft`, { headers })).json();
  expect(posts).toHaveLength(2);
  expect(second.stdout()).not.toContain("/setup");
});

test.concurrent("PLATEN_URL is the public URL and the base of the setup link; the real address is printed first", async () => {
  await using server = await startServer({ env: { PLATEN_URL: "https://blog.example.com" } });
  expect(server.stdout()).toContain("; its public address is https://blog.example.com/\n");
  expect(server.stdout()).toContain(" https://blog.example.com/setup?token=");
});

test.concurrent("commands use the running server's URL; PLATEN_URL takes precedence", async () => {
  const data = freshFolder();
  await runPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada", "--data", data]);
  const address = async (env?: Record<string, string>) =>
    JSON.parse((await runPlaten(["blog", "list", "--json", "--data", data], { env })).stdout)[0].url;
  expect(await address()).toBe("http://127.0.0.1:4000/");

  const first = await startServer({ data, args: ["--url", "https://blog.example.com"] });
  expect(await address()).toBe("https://blog.example.com/");
  await first.stop();
  await using second = await startServer({ data });
  expect(await address()).toBe(`${second.url}/`);
  expect(await address({ PLATEN_URL: "https://other.example.com" })).toBe("https://other.example.com/");
});

test("on all interfaces without PLATEN_URL, an address of the machine is used with a hint", async () => {
  await using server = await startServer({ args: ["--host", "0.0.0.0"] });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(server.url).not.toContain("0.0.0.0");
  await server.untilStderr(/\n/);
  expect(server.stderr()).toMatch(/^Links begin with http:\S+; set PLATEN_URL .*\n$/);
});

test("errors at start are printed in one line, with exit code 1, or 2 for a setting", async () => {
  await using other = await startServer();
  const port = new URL(other.url).port;
  expect(await runPlaten(["--data", freshFolder(), "--port", port])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Port ${port} is already in use; choose another with --port or PLATEN_PORT.\n`,
  });

  const file = freshFolder();
  writeFileSync(file, "");
  for (const data of [file, join(file, "below")]) {
    const unusable = await runPlaten(["--data", data, "--port", "0"]);
    expect(unusable).toMatchObject({ code: 2, stdout: "" });
    expect(unusable.stderr).toMatch(
      new RegExp(`^PLATEN_DATA .* is "${data}"; that folder cannot be used: .*\n$`),
    );
  }

  for (const flag of ["--host", "--data", "--url"])
    expect(await runPlaten([flag, "", "--port", "0"], { env: { PLATEN_DATA: freshFolder() } })).toEqual({
      code: 2,
      stdout: "",
      stderr: `${flag} is empty; give it a value or leave it out.\n`,
    });
  const hosts = await runPlaten(["--data", freshFolder(), "--port", "0"], {
    env: { PLATEN_PRIVATE_HOSTS: "nas.lan,1.2.3.4/99" },
  });
  expect(hosts).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("1.2.3.4/99") });

  const faults = {
    PLATEN_WEBHOOK_TIMEOUT: "10s,20s",
    PLATEN_PORT: "eighty",
    PLATEN_URL: "example.com",
    PLATEN_HOST: "203.0.113.1",
    PLATEN_MAIL_FROM: "blog",
  };
  for (const [name, value] of Object.entries(faults)) {
    const refused = await runPlaten([], {
      env: { PLATEN_DATA: freshFolder(), PLATEN_PORT: "0", [name]: value },
    });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(new RegExp(`^${name}.* is "${value}"; .*\n$`));
  }
  const proxies = await runPlaten(["--data", freshFolder(), "--trust-proxy", "10.0.0.0/8,gateway"]);
  expect(proxies).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^--trust-proxy contains "gateway"; .*\n$/),
  });
});

test("of several processes that create a folder, one succeeds and the others say so", async () => {
  const data = freshFolder();
  const args = ["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data];
  const runs = await Promise.all(Array.from({ length: 4 }, () => runPlaten(args)));
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1]);
  for (const { code, stderr } of runs) expect(stderr).toMatch(code === 0 ? /^$/ : /^[^\n]+ already[^\n]+\n$/);
});

test("only serve and setup create a folder", async () => {
  const data = freshFolder();
  const listed = await runPlaten(["key", "list", "--data", data]);
  expect(listed).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(data) });
  expect(existsSync(data)).toBe(false);
});

test("a folder of a newer version is rejected and left unchanged", async () => {
  const data = freshFolder();
  await runPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data]);
  {
    using db = new Database(join(data, "platen.db"));
    db.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('later', 99999999999999)");
  }
  const refused = await runPlaten(["--data", data, "--port", "0"]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^This data folder was last used by a newer Platen\. .*\n$/);
});

test("the data folder is ./data by default", async () => {
  const cwd = dirname(freshFolder());
  mkdirSync(cwd, { recursive: true });
  const setup = ["setup", "--email", "ada@example.com", "--title", "Ada"];
  expect((await runPlaten(setup, { cwd })).code).toBe(0);
  expect(existsSync(join(cwd, "data", "platen.db"))).toBe(true);
});

/** Resolves when the server accepts no more connections. */
async function untilRefused(url: string): Promise<void> {
  const isRefused = () =>
    fetch(`${url}/livez`, { keepalive: false }).then(
      () => false,
      () => true,
    );
  await until(isRefused, "the server to take no more connections", () => "an answer to each");
}

test("a folder that is already served is rejected; a killed server leaves no lock", async () => {
  await using server = await startServer();
  const upload = join(server.data, "media", ".incoming", "under-way");
  writeFileSync(upload, "half");
  utimesSync(upload, 1, 1);
  expect(await runPlaten(["serve", "--data", server.data, "--port", "0"])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Another Platen is serving ${server.data}; stop it first, or choose another folder with --data.\n`,
  });
  expect(existsSync(upload)).toBe(true);
  const setup = ["setup", "--email", "ada@example.com", "--title", "Ada", "--data", server.data];
  expect((await runPlaten(setup)).code).toBe(0);
  await server.kill();
  await using again = await startServer({ data: server.data });
  expect((await fetch(`${again.url}/livez`)).status).toBe(200);
});
