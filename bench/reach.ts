/**
 * Measures a blog with 10,000 subscribers and one with 5,000 followers on 1,000 servers against a blog without readers:
 * `bun bench/reach.ts [newsletter|fediverse]` prints rows for docs/benchmarks.md in about two minutes each.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { builtExecutable } from "../test/support/executable";
import { freshFolder, type RunningServer, runToEnd, startServer } from "../test/support/program";
import { mainThreadTime, residentMemory } from "./processes";
import { runLoad } from "./speed/load";
import { median } from "./statistics";

const MEGABYTE = 1_048_576;
const SUBSCRIBERS = 10_000;
const FOLLOWERS = 5000;
const HOSTS = 1000;
const POSTS = 40;
const PRESSES = 7;
const PAGE = { path: "/" };
const LOAD = { connections: 16, seconds: 2 };
const SETTLING_MS = 2000;
const SENDING_MS = 10_000;
const PAUSE_MS = 100;

const executable = await builtExecutable();
const [only] = process.argv.slice(2);
if (only !== "fediverse") await measureNewsletter();
if (only !== "newsletter") await measureFediverse();
process.exit();

interface Blog {
  data: string;
  key: string;
}

async function measureNewsletter(): Promise<void> {
  const mailTimes = new Map<string, number>();
  const relay = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onRcptTo({ address }, _, done) {
      mailTimes.set(address, (mailTimes.get(address) ?? 0) + 1);
      done();
    },
    onData(stream, _, done) {
      stream.resume();
      stream.on("end", () => done());
    },
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.server.address() as { port: number };
  const env = {
    PLATEN_SMTP_URL: `smtp://127.0.0.1:${port}`,
    PLATEN_MAIL_FROM: "ada@example.com",
    PLATEN_MAIL_PER_HOUR: "100000",
  };
  const [none, many] = [await setUp(), await setUp()];
  const list = join(many.data, "..", "readers.csv");
  const readers = Array.from({ length: SUBSCRIBERS }, (_, number) => `r${number}@example.com`);
  await Bun.write(list, `Email\n${readers.join("\n")}\n`);
  await run(["subscriber", "import", list, "--blog", "ada", "--data", many.data]);
  for (const { data } of [none, many])
    await run(["reach", "set", "--blog", "ada", "--newsletter", "on", "--data", data]);
  await comparePublishing(`${SUBSCRIBERS} subscribers`, [none, env], [many, env]);

  const atOnce = { ...env, PLATEN_NEWSLETTER_DELAY: "0s" };
  await using idle = await startServer({ data: none.data, env, program: [executable] });
  await using server = await startServer({ data: many.data, env: atOnce, program: [executable] });
  await publish(idle, none);
  await publish(server, many);
  const began = performance.now();
  await until(() => mailTimes.size > 0);
  await comparePagesAndMemory(idle, server, "< 20");
  const [from, cpu] = [mailTimes.size, mainThreadTime(server.pid)];
  await Bun.sleep(SENDING_MS);
  row("main thread per mail, ms", (mainThreadTime(server.pid) - cpu) / (mailTimes.size - from));
  await until(() => mailTimes.size === SUBSCRIBERS);
  const seconds = (performance.now() - began) / 1000;
  row(`${SUBSCRIBERS} mails sent, seconds`, seconds);
  row("mails that arrived twice", [...mailTimes.values()].filter((count) => count > 1).length, "0");
}

async function measureFediverse(): Promise<void> {
  /** Inbox, type and object → ids of the activities that arrived. */
  const activityIds = new Map<string, string[]>();
  using inboxes = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    async fetch(request) {
      const { id, type, object } = (await request.json()) as {
        id: string;
        type: string;
        object: { id: string };
      };
      const key = `${request.url} ${type} ${object.id}`;
      activityIds.set(key, [...(activityIds.get(key) ?? []), id]);
      return new Response(null, { status: 202 });
    },
  });
  const hosts = Array.from({ length: HOSTS }, (_, number) => `127.0.${1 + (number >> 8)}.${number & 255}`);
  const env = { PLATEN_URL: "http://127.0.0.1:1", PLATEN_PRIVATE_HOSTS: ["127.0.0.1", ...hosts].join(",") };
  const [off, none, on] = [await setUp(), await setUp(), await setUp()];
  for (const { data } of [none, on])
    await run(["reach", "set", "--blog", "ada", "--fediverse", "on", "--data", data], env);
  addFollowers(
    on.data,
    hosts.map((host) => `http://${host}:${inboxes.port}`),
  );
  const idle = await restingMemory(off, env);
  await comparePublishing(`${FOLLOWERS} followers`, [none, env], [on, env]);
  row("memory at rest, off, MB", idle / MEGABYTE);
  row("memory at rest, on, MB more", ((await restingMemory(on, env)) - idle) / MEGABYTE, "≤ 45");
  await using without = await startServer({ data: off.data, env, program: [executable] });
  await using server = await startServer({ data: on.data, env, program: [executable] });
  await comparePagesAndMemory(without, server, "≤ 45");
  row("activities that arrived", [...activityIds.values()].flat().length);
  row(
    "inboxes with two ids for one",
    [...activityIds.values()].filter((ids) => new Set(ids).size > 1).length,
    "0",
  );
}

async function setUp(): Promise<Blog> {
  const data = freshFolder();
  const names = ["--email", "ada@example.com", "--title", "Ada", "--slug", "ada"];
  return { data, key: (await run(["setup", "--data", data, ...names])).trim() };
}

async function run(args: string[], env?: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runToEnd([executable, ...args], { env });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function comparePublishing(
  readers: string,
  ...blogs: [blog: Blog, env: Record<string, string>][]
): Promise<void> {
  const servers = await Promise.all(
    blogs.map(([{ data }, env]) => startServer({ data, env, program: [executable] })),
  );
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * POSTS; round++)
    for (const [index, server] of servers.entries()) {
      await Bun.sleep(PAUSE_MS);
      const took = await publish(server, (blogs[index] as [Blog, object])[0]);
      if (round >= POSTS) times[index as 0 | 1].push(took);
    }
  for (const server of servers) await server.stop();
  row("publish without readers, ms", median(times[0]));
  row(`publish with ${readers}, times`, median(times[1]) / median(times[0]), "1");
}

/** @returns milliseconds */
async function publish({ url }: RunningServer, { key }: Blog): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      post: { title: crypto.randomUUID(), content: "<p>Hello, world.</p>", status: "published" },
    }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return performance.now() - began;
}

/**
 * Alternates between both servers. The sending server continues to send while the idle server is measured,
 * because a third busy process slows both servers on two cores.
 */
async function comparePagesAndMemory(
  idle: RunningServer,
  sending: RunningServer,
  memoryLimit: string,
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  const memory: [number, number] = [0, 0];
  for (let round = 0; round <= PRESSES; round++)
    for (const [index, server] of [idle, sending].entries() as Iterable<[0 | 1, RunningServer]>) {
      const most = await maxMemory(server, async () => {
        const { p99 } = await runLoad(server, PAGE, LOAD);
        if (round > 0) times[index].push(p99);
      });
      memory[index] = Math.max(memory[index], most);
    }
  row("page of the idle server meanwhile, p99, ms", median(times[0]));
  row("page of the sending server, p99, times", median(times[1]) / median(times[0]), "≤ 2");
  row("memory of the sending server, MB more", (memory[1] - memory[0]) / MEGABYTE, memoryLimit);
}

async function maxMemory({ pid }: RunningServer, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, residentMemory(pid));
  }, 100);
  await work();
  clearInterval(sampling);
  return most;
}

async function restingMemory({ data }: Blog, env: Record<string, string>): Promise<number> {
  await using server = await startServer({ data, env, program: [executable] });
  await fetch(server.url);
  await Bun.sleep(SETTLING_MS);
  return residentMemory(server.pid);
}

function addFollowers(data: string, origins: string[]): void {
  using db = new Database(join(data, "platen.db"));
  db.transaction(() => {
    for (let number = 1; number <= FOLLOWERS; number++) {
      const origin = origins[number % origins.length];
      const url = `${origin}/users/${number}`;
      const values = { number, url, inbox: `${origin}/inbox`, handle: `@${number}@social.example` };
      const bound = Object.fromEntries(Object.entries(values).map(([name, value]) => [`$${name}`, value]));
      db.query(
        `INSERT INTO remote_actors (id, url, key_id, public_pem, inbox, shared_inbox, handle, name, profile_url, fetched_at)
         VALUES ($number, $url, $url || '#key', '', $url || '/inbox', $inbox, $handle, 'Reader', $url, 0)`,
      ).run(bound);
      db.query(
        `INSERT INTO followers (blog_id, remote_actor_id, follow_id, inbox, created_at)
         VALUES (1, $number, $url || '#follow', $inbox, 0)`,
      ).run(bound);
      db.query(
        `INSERT INTO receivers (channel, blog_id, url, created_at) VALUES ('fediverse', 1, $inbox, 0)
         ON CONFLICT DO NOTHING`,
      ).run(bound);
    }
  })();
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await Bun.sleep(5);
}

function row(what: string, measured: number, toReach = ""): void {
  console.log(`| ${what} | ${Number(measured.toPrecision(3)).toLocaleString("en")} | ${toReach} |`);
}
