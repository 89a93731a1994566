/**
 * Sends hostile texts and requests to the built executable. Prints how long each takes, how long /livez and a
 * page take for another client at the same time (elapsed, CPU of the main thread of the server, and its wait
 * for a CPU), and memory:
 * `bun run build && bun bench/hostile.ts [dist/platen] [part of a name]`
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE_KOMMENTS, HOSTILE_POSTS } from "../test/support/hostile-texts";
import { HOSTILE_REQUESTS, sendHostile, VALUES } from "./hostile-requests";
import { mainThreadQueued, mainThreadTime, residentMemory } from "./processes";
import { quantile } from "./statistics";

const MEGABYTE = 1_048_576;
const SENT_FOR = 4000; // milliseconds
const ASKED_EVERY = 20; // milliseconds
const WRITING = 3100; // milliseconds: a form that is sent sooner is rejected

/** Milliseconds that a request took. */
interface Wait {
  clock: number;
  processor: number;
  queued: number;
}

let readers = 0;

const [executable = "dist/platen", wanted = "", asked = ""] = process.argv.slice(2);
if (executable === "ask") await ask(wanted, Number(asked));
else await measure();

async function measure(): Promise<void> {
  const data = join(mkdtempSync(join(tmpdir(), "platen-bench-")), "data");
  const { key, url, pid, stop } = await start(data);
  try {
    const send = (post: unknown, method = "POST", path = "", headers: Record<string, string> = {}) =>
      fetch(`${url}/api/v1/posts${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ post }),
      });
    await (await send({ title: "Tea", status: "published", content: "<p>Tea.</p>" })).text();
    console.log(
      "answers; ms each; /livez and a page, ms: median, 99 %, worst; the same of the processor, and waiting for one; memory, peak in MB",
    );
    // The baseline on this machine.
    await watch("no hostile input", url, pid, async () => {
      await Bun.sleep(ASKED_EVERY);
      return await fetch(`${url}/livez`);
    });
    for (const { name, type, text } of HOSTILE_POSTS)
      if (name.includes(wanted))
        await watch(name, url, pid, () =>
          send({ title: crypto.randomUUID(), content: text, content_type: type }),
        );
    const longest = createLongestPost();
    const { post } = (await (
      await send({ title: "Long", slug: "long", status: "published", content: longest })
    ).json()) as { post: { id: number } };
    /** The change invalidates the response cache. */
    const afterChange = async (path: string, at: string) => {
      await (await send({ tags: [at] }, "PATCH", `/${post.id}`)).text();
      return await fetch(url + path);
    };
    const long: [name: string, send: (at: string) => Promise<Response>][] = [
      ["made", (at) => send({ title: at, content: longest })],
      ["made of Markdown", (at) => send({ title: at, content: longest, content_type: "markdown" })],
      ["changed", (at) => send({ content: `${longest}<p>${at}</p>` }, "PATCH", `/${post.id}`)],
      [
        "made, to be done once",
        (at) => send({ title: at, content: longest }, "POST", "", { "idempotency-key": at }),
      ],
      ["as a page, after a change", (at) => afterChange("/long", at)],
      ["in a feed, after a change", (at) => afterChange("/feed.xml", at)],
      ["called something else", (at) => send({ title: at }, "PATCH", `/${post.id}`)],
    ];
    for (const [what, sendLong] of long)
      if (`5 MB of prose, ${what}`.includes(wanted))
        await watch(`5 MB of prose, ${what}`, url, pid, () => sendLong(crypto.randomUUID()));
    for (const [name, text] of HOSTILE_KOMMENTS)
      if (`komment ${name}`.includes(wanted))
        await watch(`komment ${name}`, url, pid, await kommentSender(url, text));
    await sendHostile(url, key, {
      name: "",
      path: "/micropub",
      type: "application/json",
      body: JSON.stringify(VALUES),
    });
    for (const request of HOSTILE_REQUESTS)
      if (`request ${request.name}`.includes(wanted))
        await watch(`request ${request.name}`, url, pid, () => sendHostile(url, key, request));
  } finally {
    await stop();
    rmSync(join(data, ".."), { recursive: true });
  }
}

function createLongestPost(): string {
  const paragraph = (at: number) =>
    `<p>A goat looked at cup ${at}, thought of its herd, and drank no more.</p>\n\n`;
  let text = "";
  for (let at = 0; text.length < 5_200_000; at++) text += paragraph(at);
  return text;
}

async function start(data: string) {
  const setup = Bun.spawn([executable, "setup", "--email", "a@example.com", "--title", "A", "--data", data]);
  const key = (await new Response(setup.stdout).text()).trim();
  const server = Bun.spawn([executable, "serve", "--data", data, "--port", "0"], { stdout: "pipe" });
  const printed = await server.stdout.getReader().read();
  const [url = ""] = /http:\/\/[^/\s]+/.exec(new TextDecoder().decode(printed.value)) ?? [];
  return {
    key,
    url,
    pid: server.pid,
    stop: () => {
      server.kill();
      return server.exited;
    },
  };
}

async function watch(name: string, url: string, pid: number, send: () => Promise<Response>): Promise<void> {
  const asking = Bun.spawn([process.execPath, import.meta.path, "ask", url, String(pid)], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const answers = new Map<number, number>();
  const times: number[] = [];
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid));
  }, 50);
  const until = performance.now() + SENT_FOR;
  do {
    const began = performance.now();
    const { status, body } = await send();
    await body?.cancel();
    times.push(performance.now() - began);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  } while (performance.now() < until);
  clearInterval(watching);
  asking.stdin.end();
  const waits: Wait[] = JSON.parse(await new Response(asking.stdout).text());
  const statuses = [...answers].map(([status, count]) => `${count} × ${status}`).join(", ");
  const quantilesOf = (kind: keyof Wait) =>
    [0.5, 0.99, 1]
      .map((share) =>
        quantile(
          waits.map((wait) => wait[kind]),
          share,
        ).toFixed(1),
      )
      .join(", ");
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  console.log(
    `${name}: ${statuses}; ${mean.toFixed(0)} ms; ${quantilesOf("clock")} (${waits.length}); ${quantilesOf("processor")}; ${quantilesOf("queued")}; ${memoryOf(pid)} MB, ${peak} MB`,
  );
}

async function ask(url: string, pid: number): Promise<void> {
  const waits: Wait[] = [];
  let isOver = false;
  const ended = new Response(Bun.stdin.stream()).text().then(() => {
    isOver = true;
  });
  const one = async (path: string) => {
    const readClocks = () => [performance.now(), mainThreadTime(pid), mainThreadQueued(pid)] as const;
    const [clock, processor, queued] = readClocks();
    await (await fetch(url + path)).text();
    const [clockThen, processorThen, queuedThen] = readClocks();
    waits.push({
      clock: clockThen - clock,
      processor: processorThen - processor,
      queued: queuedThen - queued,
    });
  };
  const open: Promise<void>[] = [];
  for (let round = 0; !isOver; round++) {
    open.push(one(round % 2 ? "/livez" : "/tea"));
    await Promise.race([Bun.sleep(ASKED_EVERY), ended]);
  }
  await Promise.all(open);
  console.log(JSON.stringify(waits));
}

/** Each komment comes from another client address because of the rate limit, with an old enough form. */
async function kommentSender(url: string, text: string): Promise<() => Promise<Response>> {
  const tickets: string[] = [];
  for (let form = 0; form < 200; form++) {
    const page = await (await fetch(`${url}/komments/tea`)).text();
    tickets.push(/name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? "");
  }
  await Bun.sleep(WRITING);
  return async () => {
    const reader = readers++;
    const ticket = tickets[reader % tickets.length] as string;
    return await fetch(`${url}/komments/tea`, {
      method: "POST",
      redirect: "manual",
      headers: { "x-forwarded-for": `203.0.${reader >> 8}.${reader & 255}` },
      body: new URLSearchParams({ name: "Jun", address: "", text, ticket }),
    });
  };
}

function memoryOf(pid: number): number {
  return Math.round(residentMemory(pid) / MEGABYTE);
}
