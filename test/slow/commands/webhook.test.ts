import { beforeAll, describe, expect, test } from "bun:test";
import { callPlaten } from "../../support/command";
import { freshFolder, startServer } from "../../support/program";
import { receiver } from "../../support/receiver";
import { until } from "../../support/waiting";

const HOOK = "https://example.com/hook?token=a%20b";

/** A blog in its own folder, and a function that runs commands on it. */
async function setUp() {
  const env = {
    PLATEN_DATA: freshFolder(),
    PLATEN_PRIVATE_HOSTS: "127.0.0.1",
    PLATEN_PORT: "0",
    // No retries during the test.
    PLATEN_WEBHOOK_RETRY: "1h",
  };
  const platen = (...args: string[]) => callPlaten(args, { env });
  const key = (await platen("setup", "--email", "ada@example.com", "--title", "Ada")).stdout.trim();
  const webhook = (...args: string[]) => platen("webhook", ...args);
  const listed = async (what: string) => JSON.parse((await webhook(what, "--json")).stdout);
  return { env, key, webhook, listed };
}

describe("webhook commands", () => {
  let { webhook, listed } = {} as Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    ({ webhook, listed } = await setUp());
  });

  test("add prints only the blog's secret; list prints webhooks; remove removes them", async () => {
    const first = await webhook("add", "--blog", "ada", HOOK, "--quiet", "2m");
    expect(first).toEqual({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/), stderr: "" });
    expect(await webhook("add", "--blog", "ada", HOOK)).toEqual(first);
    expect(await listed("list")).toEqual([
      {
        id: expect.any(Number),
        blog: "ada",
        url: HOOK,
        is_on: true,
        paused_at: null,
        failing_since: null,
        disabled_at: null,
        disabled_because: null,
        quiet_ms: 120_000,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await webhook("list")).stdout).toContain(HOOK);
    expect((await webhook("remove", "--blog", "ada", HOOK)).code).toBe(0);
    expect(await listed("list")).toEqual([]);
  });

  test("a URL that cannot receive anything is added with a warning", async () => {
    const add = async (url: string) => {
      const { code, stderr } = await webhook("add", "--blog", "ada", url);
      await webhook("remove", "--blog", "ada", url);
      return { code, stderr };
    };
    expect(await add("http://127.0.0.1:1/")).toEqual({ code: 0, stderr: "" });
    expect(await add("http://[fd00::7]/")).toEqual({
      code: 0,
      stderr:
        "Warning: the server will send no events to this URL: fd00::7 is a private address; set PLATEN_PRIVATE_HOSTS=127.0.0.1,fd00::7 to allow it, in the server's environment.\n",
    });
  });

  test.each([
    [
      "without a scheme",
      "example.com",
      `Url "example.com" must be a URL that begins with https:// or http://.\n`,
    ],
    [
      "of another scheme",
      "ftp://example.com/",
      /^Url "ftp:.* must be a URL that begins with https:\/\/ or http:\/\/\.\n$/,
    ],
    ["with a password", "https://ada:secret@example.com/", "Url must not contain a user name or password.\n"],
    ["too long", `https://example.com/${"a".repeat(2000)}`, "Url must be at most 2000 characters.\n"],
  ])("a URL %s is rejected in one line", async (_, url, says) => {
    const { code, stdout, stderr } = await webhook("add", "--blog", "ada", url);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    if (typeof says === "string") expect(stderr).toBe(says);
    else expect(stderr).toMatch(says);
  });

  test("an unknown blog, URL or delivery is reported; wrong usage says what to type", async () => {
    const faults: [string, number, RegExp][] = [
      ["add --blog eve https://example.com/", 1, /^There is no blog with the slug eve\.$/],
      ["remove --blog ada https://example.com/none", 1, /^There is no such webhook of the blog ada\.$/],
      ["redeliver 999", 1, /^There is no such delivery\.$/],
      ["log 999", 1, /^There is no such delivery\.$/],
      ["add https://example.com/", 2, /^--blog is missing\. Type: platen webhook add URL --blog SLUG /],
      ["add --blog ada", 2, /^URL is missing\. /],
      ["add --blog ada https://example.com/ --quiet long", 2, /^--quiet is "long"; /],
      ["redeliver", 2, /^Either an ID or --failed-since is required\. Type: platen webhook redeliver /],
      ["redeliver 1 --failed-since 2026-01-01", 2, /^Either an ID /],
      ["pause --blog ada https://example.com/none", 1, /^There is no such webhook of the blog ada\.$/],
      ["redeliver 1 --blog ada", 2, /^Either an ID /],
      ["redeliver first", 2, /^"first" is not a delivery ID; /],
      ["redeliver --failed-since soon", 2, /^--failed-since is "soon"; /],
      ["frob", 2, /^There is no command webhook frob\. Type: platen webhook followed by one of: add, /],
    ];
    for (const [typed, code, says] of faults) {
      const ended = await webhook(...typed.split(" "));
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
      expect(ended.stderr.trimEnd()).toMatch(says);
    }
  });
});

test("add warns according to the settings of the server, not of the command", async () => {
  const { env } = await setUp();
  await using _server = await startServer({ data: env.PLATEN_DATA, env });
  const add = (PLATEN_PRIVATE_HOSTS: string, url: string) =>
    callPlaten(["webhook", "add", "--blog", "ada", url], { env: { ...env, PLATEN_PRIVATE_HOSTS } });
  expect(await add("", "http://127.0.0.1:1/")).toMatchObject({ code: 0, stderr: "" });
  expect((await add("127.0.0.1,10.0.0.7", "http://10.0.0.7/")).stderr).toContain(
    "Warning: the server will send no events to this URL: 10.0.0.7 is a private address",
  );
});

test("add, test, resend and rotate take effect at once on a running server", async () => {
  const { env, key, webhook, listed } = await setUp();
  await using server = await startServer({ data: env.PLATEN_DATA, env });
  const { url, received, respondWith, untilRequested } = receiver();
  const secret = (await webhook("add", "--blog", "ada", url)).stdout.trim();
  const tested = (await webhook("test", "--blog", "ada", url)).stdout.trim();
  await untilRequested();
  expect(received[0]?.payload.event).toBe("webhook.test");

  respondWith(() => new Response("try later\n", { status: 500 }));
  const { post } = await (
    await fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ post: { title: "A", status: "published" } }),
    })
  ).json();
  type Row = Record<"event" | "state" | "attempts", unknown>;
  const last = async () => (await listed("log")).at(-1);
  const untilLast = (isSo: (row: Row) => boolean) =>
    until(
      async () => isSo(await last()),
      `the last delivery to be ${isSo}`,
      async () => JSON.stringify(await last()),
    );
  await untilLast(({ event, attempts }) => event === "post.published" && attempts === 1);
  const row = await last();
  expect(row).toEqual({
    id: Number(tested) + 1,
    blog: "ada",
    event: "post.published",
    url,
    state: "pending",
    attempts: 1,
    status: 500,
    failure: null,
    duration_ms: expect.any(Number),
    occurred_at: post.published_at,
    next_attempt_at: expect.stringMatching(/Z$/),
  });
  expect(JSON.parse((await webhook("log", String(row.id), "--json")).stdout)).toMatchObject([
    { status: 500, answer: "try later\n" },
  ]);

  respondWith(() => new Response());
  const rotated = (await webhook("rotate-secret", "--blog", "ada")).stdout.trim();
  expect(rotated).toMatch(/^whsec_/);
  expect(rotated).not.toBe(secret);
  expect((await webhook("redeliver", "--failed-since", "2026-01-01T00:00Z")).stdout).toBe(
    "Queued 1 delivery again.\n",
  );
  await untilLast(({ state }) => state === "delivered");
  expect((await webhook("redeliver", String(row.id))).code).toBe(0);
  await untilLast(({ attempts }) => attempts === 3);
  expect(new Set(received.slice(1).map(({ id }) => id)).size).toBe(1);
  expect(received.at(-1)?.headers.get("webhook-signature")?.split(" ")).toHaveLength(2);

  respondWith(() => new Response(null, { status: 410 }));
  await webhook("test", "--blog", "ada", url);
  await until(
    async () => !(await listed("list"))[0].is_on,
    "the webhook to be turned off",
    async () => JSON.stringify(await last()),
  );
  expect((await webhook("list")).stdout).toContain("The response was 410");
  expect((await webhook("test", "--blog", "ada", url)).stderr).toBe(
    `The webhook ${url} is disabled; enable it first.\n`,
  );
  expect((await webhook("enable", "--blog", "ada", url)).code).toBe(0);
  expect((await listed("list"))[0].is_on).toBe(true);

  respondWith(() => new Response());
  const sent = received.length;
  expect((await webhook("pause", "--blog", "ada", url)).stdout).toBe(
    `Paused ${url}; new events are queued.\n`,
  );
  expect((await listed("list"))[0].paused_at).toMatch(/Z$/);
  expect((await webhook("test", "--blog", "ada", url)).stderr).toContain("is paused; resume it first.");
  expect((await webhook("redeliver", "--failed-since", "2026-01-01T00:00Z", "--blog", "ada")).code).toBe(0);
  expect((await webhook("redeliver", String(row.id))).code).toBe(0);
  expect((await last()).state).not.toBe("sending");
  expect(received).toHaveLength(sent);
  expect((await webhook("resume", "--blog", "ada", url)).stdout).toBe(
    `Resumed ${url}; queued events are sent first.\n`,
  );
  await untilRequested(sent + 1);
});
