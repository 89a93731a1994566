import { afterEach, expect, jest, test } from "bun:test";
import { promisify } from "node:util";
import { answerInTurns, Unwritten } from "../../src/http/answers/large-json-answers";
import { inTurn, inTurnOfComparing, readerOfPages } from "../../src/http/memory/long-answers";
import { callOf, listenBy } from "../../src/http/requests/call";
import type { Platen } from "../../src/platen";
import { LARGEST } from "../../src/request-limits";
import { formIn } from "../admin/editor/post-form";
import { startOwned } from "../admin/owner";
import { MINUTE, startPlaten } from "../support/platen";

afterEach(() => {
  jest.useRealTimers();
});

/** A long answer to a reader of pages. */
function askLong(platen: Platen, value: () => unknown, signal?: AbortSignal, turn = inTurn) {
  const call = callOf(platen, new Request("http://blog.test/", { signal }));
  const pieces = ['{"post":', new Unwritten(value), "}"];
  return turn(call, readerOfPages(call), async () => {
    const { body } = await answerInTurns(200, pieces);
    return new TextDecoder().decode(body);
  });
}

test("long answers are put together one after the other, whatever addresses they are asked for at, and one that fails holds up none", async () => {
  const { platen } = startPlaten();
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = () =>
    askLong(platen, async () => {
      const text = Promise.withResolvers<string>();
      begun.push(text);
      return await text.promise;
    });
  const asked = [ask(), ask(), ask()];
  const untilBegun = async (count: number) => {
    while (begun.length < count) await Bun.sleep(0);
  };
  await untilBegun(1);
  begun[0]?.resolve("first");
  expect(await asked[0]).toBe('{"post":"first"}');
  await untilBegun(2);
  expect(begun.length).toBe(2);
  begun[1]?.reject(new Error("broken"));
  expect(asked[1]).rejects.toThrow("broken");
  await untilBegun(3);
  begun[2]?.resolve("third");
  expect(await asked[2]).toBe('{"post":"third"}');
});

test("whoever goes away while others are answered is passed over", async () => {
  const { platen } = startPlaten();
  const first = Promise.withResolvers<string>();
  const away = new AbortController();
  let asked = 0;
  const begun = askLong(platen, () => first.promise);
  const given = askLong(platen, () => ++asked, away.signal);
  const last = askLong(platen, () => "last");
  away.abort();
  // At once: the first is still being made.
  expect(await given.catch(() => "gone")).toBe("gone");
  first.resolve("first");
  await begun;
  expect(await last).toBe('{"post":"last"}');
  expect(asked).toBe(0);
});

test("what Micropub apps ask for first waits for no long answer, nor do short posts, a search for them or their feed", async () => {
  const { platen, fetch, api, key } = startPlaten();
  await api("POST", "/posts", { post: { title: "Short", status: "published" } });
  const long = Promise.withResolvers<string>();
  const others = askLong(platen, () => long.promise);
  const headers = { authorization: `Bearer ${key}` };
  for (const query of ["config", "category", "source"])
    expect((await fetch(`/micropub?q=${query}`, { headers })).status).toBe(200);
  expect((await fetch("/micropub/media?q=source", { headers })).status).toBe(200);
  expect((await api("GET", "/posts?include_content=true&search=short")).body.posts).toHaveLength(1);
  expect((await fetch("/feed.xml")).status).toBe(200);
  long.resolve("");
  await others;
});

/** A post of four megabytes, read with any key and at any number of addresses. */
async function startLong(at = startPlaten()) {
  const save = (post: object) => at.api("POST", "/posts", { post: { status: "published", ...post } });
  const paragraphs = (count: number) => "<p>A goat drank no tea.</p>\n".repeat(count);
  const { id } = (await save({ slug: "long", content: paragraphs(160_000) })).body.post;
  const quotes = '"'.repeat(140_000);
  /** Each is short, and together they are long. */
  const saveShort = async () => {
    for (let saved = 0; saved < 8; saved++) await save({ content: paragraphs(6000), category: "Short" });
    for (let saved = 0; saved < 3; saved++) await save({ content: quotes, category: "Quoted" });
  };
  let asked = 0;
  /** The same, and never at the same address. */
  const anew = (path: string) => `${path}${path.includes("?") ? "&" : "?"}x=${asked++}`;
  const get = (path: string, key = at.key) =>
    at.fetch(anew(path), { headers: { authorization: `Bearer ${key}` } });
  return { ...at, get, saveShort, long: `/api/v1/posts/${id}` };
}

type Long = Awaited<ReturnType<typeof startLong>>;

/** Begins to read an answer, and stops there. */
async function begun(answer: Response) {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  const rest = async () => {
    let length = value?.length ?? 0;
    for (let { done, value: more } = await reader.read(); !done; { done, value: more } = await reader.read())
      length += more?.length ?? 0;
    return length;
  };
  return { status: answer.status, rest, leave: () => reader.cancel() };
}

/** As many as one key may have unread. */
async function unread({ get, long }: Long, key?: string) {
  const length = (await (await get(long, key)).arrayBuffer()).byteLength;
  const answers = [];
  for (let sent = 0; sent < LARGEST.sentToKey; sent += length)
    answers.push(await begun(await get(long, key)));
  return { length, answers };
}

/** Whether there is an answer, once another key has got two long ones. */
async function isAnswered({ get, long, newKey }: Long, asked: Promise<Response>): Promise<boolean> {
  let isThere = false;
  asked.then(
    () => {
      isThere = true;
    },
    () => {},
  );
  const other = newKey();
  for (const path of [long, long])
    expect((await (await get(path, other)).text()).length).toBeGreaterThan(1e6);
  return isThere;
}

test("a key that leaves its long answers unread gets no more of them until one is read, or given up", async () => {
  const at = await startLong();
  const { answers, length } = await unread(at);
  const [first, second] = [at.get(at.long), at.get(at.long)];
  expect(await isAnswered(at, first)).toBe(false);
  expect(await answers[0]?.rest()).toBe(length);
  expect(await (await begun(await first)).rest()).toBe(length);
  expect((await begun(await second)).status).toBe(200);
  const third = at.get(at.long);
  expect(await isAnswered(at, third)).toBe(false);
  await answers[1]?.leave();
  expect((await third).status).toBe(200);
});

test.each([
  ["short posts together", "/api/v1/posts?include_content=true&category=Short"],
  ["what is long only as JSON", "/api/v1/posts?include_content=true&category=Quoted"],
  ["what a post was made from", "/micropub?q=source&url=http://blog.test/long"],
])("nor is this made for it: %s", async (_, path) => {
  const at = await startLong();
  await at.saveShort();
  const { answers } = await unread(at);
  const asked = at.get(path);
  expect(await isAnswered(at, asked)).toBe(false);
  await answers[0]?.leave();
  expect((await asked).status).toBe(200);
});

test("short answers, other keys, and who reads the same address wait for no long answer", async () => {
  const at = await startLong();
  await unread(at);
  for (const path of ["/api/v1/info", "/api/v1/posts", "/long", "/feed.xml"])
    expect((await at.get(path)).status).toBe(200);
  const key = at.newKey();
  const same = () => at.fetch(at.long, { headers: { authorization: `Bearer ${key}` } });
  for (let asked = 0; asked < 10; asked++) expect((await begun(await same())).status).toBe(200);
  expect((await at.get(at.long, key)).status).toBe(200);
});

test("a key whose long answers stay unread for half a minute is told to read them, and its writes do nothing", async () => {
  const at = await startLong();
  const { answers } = await unread(at);
  const turn = promisify(setImmediate);
  jest.useFakeTimers();
  const read = at.get(at.long);
  const written = at.api("POST", "/posts", { post: { title: "Too many" } });
  while (jest.getTimerCount() < 2) await turn();
  jest.advanceTimersByTime(MINUTE / 2);
  const refused = await read;
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect(await refused.json()).toEqual({
    message: "Other long answers have not been read yet: read yours, then try again.",
  });
  expect((await written).status).toBe(503);
  jest.useRealTimers();
  expect((await at.api("GET", "/posts?search=many")).body.posts).toEqual([]);
  for (const { leave } of answers) await leave();
  expect((await at.get(at.long)).status).toBe(200);
});

test("who asks for the same is told so together, and answered together once there is room", async () => {
  const at = await startLong();
  const { answers } = await unread(at);
  const turn = promisify(setImmediate);
  const same = () => at.fetch(`${at.long}?same`, { headers: { authorization: `Bearer ${at.key}` } });
  const threeWaiting = async () => {
    const asked = [same(), same(), same()];
    for (let turns = 0; turns < 1000 && jest.getTimerCount() < 3; turns++) await turn();
    expect(jest.getTimerCount()).toBe(3);
    return asked;
  };
  jest.useFakeTimers();
  const refused = await threeWaiting();
  jest.advanceTimersByTime(MINUTE / 2);
  expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([503, 503, 503]);
  const answered = await threeWaiting();
  jest.useRealTimers();
  await answers[0]?.leave();
  expect((await Promise.all(answered)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("what somebody waits for who has gone is not made", async () => {
  const at = await startLong();
  const { answers } = await unread(at);
  const gone = new AbortController();
  const asked = at.fetch(`${at.long}?gone`, {
    headers: { authorization: `Bearer ${at.key}` },
    signal: gone.signal,
  });
  gone.abort();
  await answers[0]?.leave();
  expect((await asked).status).toBe(503);
});

/** The same post as a page, for readers at any address. */
async function startPages() {
  const at = await startLong();
  listenBy(at.platen, { requestIP: () => ({ address: "127.0.0.1" }) });
  const read = (address: string, path = "/long", headers = {}) =>
    at.fetch(path, { headers: { "x-forwarded-for": address, ...headers } });
  /** What was kept until now is made anew for whoever asks. */
  const change = () => at.api("POST", "/posts", { post: { title: "Another" } });
  const { length } = await (await read("")).bytes();
  const unread = async (addresses: string[], bytes: number) => {
    const answers = [];
    for (let sent = 0; sent < bytes; sent += length) {
      await change();
      answers.push(await begun(await read(addresses[answers.length % addresses.length] as string)));
    }
    await change();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return answers;
  };
  return { ...at, read, change, unread };
}

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8::1", "2001:db8::2"],
])(
  "an address that leaves long pages unread gets no more of them until one is given up: %s, %s",
  async (first, second) => {
    const at = await startPages();
    const answers = await at.unread([first], LARGEST.sentToAddress);
    const asked = at.read(second);
    expect(await isAnswered(at, asked)).toBe(false);
    expect((await at.read(second, "/another")).status).toBe(404);
    expect((await at.read(second, "/archive")).status).toBe(200);
    expect((await begun(await at.read("198.51.100.2"))).status).toBe(200);
    await answers[0]?.leave();
    expect((await asked).status).toBe(200);
  },
);

test("nor does anybody while too many are unread at other addresses", async () => {
  const at = await startPages();
  const addresses = Array.from({ length: 9 }, (_, number) => `203.0.113.${number}`);
  const answers = await at.unread(addresses, LARGEST.sentAsPages);
  const asked = at.read("198.51.100.2");
  expect(await isAnswered(at, asked)).toBe(false);
  await answers[0]?.rest();
  expect((await asked).status).toBe(200);
});

test("whoever is signed in and leaves their long posts unread in the editor gets no more of them until one is given up, and others' wait for none", async () => {
  const { browser, ...owned } = await startOwned();
  const at = await startLong(owned);
  const editor = `/admin/blogs/ada${at.long.slice("/api/v1".length)}`;
  const { length } = await (await browser.get(editor)).bytes();
  const answers = [];
  for (let sent = 0; sent < LARGEST.sentToKey; sent += length)
    answers.push(await begun(await browser.get(editor)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const asked = browser.get(editor);
  expect(await isAnswered(at, asked)).toBe(false);
  for (const path of ["/admin/blogs/ada/posts", "/admin/blogs/ada/posts/new"])
    expect((await browser.get(path)).status).toBe(200);
  await answers[0]?.leave();
  expect((await asked).status).toBe(200);
});

test("what a signed-in owner waited for is shown as it is by then, or told to be gone", async () => {
  const { browser, ...owned } = await startOwned();
  const at = await startLong(owned);
  const path = at.long.slice("/api/v1".length);
  const opened = async (meanwhile: () => Promise<unknown>) => {
    const long = Promise.withResolvers<string>();
    const others = askLong(at.platen, () => long.promise);
    const asked = browser.get(`/admin/blogs/ada${path}`);
    // Far more than it takes to come to its turn.
    for (let turns = 0; turns < 1000; turns++) await new Promise(setImmediate);
    await meanwhile();
    long.resolve("");
    await others;
    return await asked;
  };
  // Whose answer is short.
  const update = { action: "update", url: "http://blog.test/long", replace: { name: ["Anew"] } };
  const headers = { authorization: `Bearer ${at.key}`, "content-type": "application/json" };
  const changed = await opened(() =>
    at.fetch("/micropub", { method: "POST", headers, body: JSON.stringify(update) }),
  );
  const page = await changed.text();
  expect(page).toContain("Anew</textarea>");
  expect((await opened(() => at.api("DELETE", path))).status).toBe(404);
});

test("nobody's long answer waits while the editor compares two long texts", async () => {
  const { browser, ...owned } = await startOwned();
  const at = await startLong(owned);
  const path = at.long.slice("/api/v1".length);
  const editor = `/admin/blogs/ada${path}`;
  const form = formIn(await (await browser.get(editor)).text());
  form.set("kept", crypto.randomUUID());
  form.set("content", Array.from({ length: 100_000 }, (_, goat) => `<p>Goat ${goat} drank.</p>`).join("\n"));
  const unsaved = { method: "POST", body: form, headers: { origin: "http://blog.test" } };
  expect((await browser.send(editor.replace("posts", "unsaved"), unsaved)).status).toBe(200);
  expect((await at.api("PATCH", path, { post: { title: "Anew" } })).status).toBe(200);
  let isOpened = false;
  const asked = browser.get(editor).then((answer) => {
    isOpened = true;
    return answer;
  });
  // Far more than it takes to come to its turn.
  for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate);
  expect((await at.get("/long")).status).toBe(200);
  expect(isOpened).toBe(false);
  expect(await (await asked).text()).toContain("Somebody else has saved this meanwhile");
});

test("former versions of long posts are compared one after the other; long answers, and versions of short posts, wait for none", async () => {
  const at = await startOwned();
  /** A post that said something else before: where to see that. */
  const changed = async (before: string, now: string) => {
    const asMarkdown = (content: string) => ({ post: { content, content_type: "markdown" } });
    const { id } = (await at.api("POST", "/posts", asMarkdown(before))).body.post;
    await at.api("PATCH", `/posts/${id}`, asMarkdown(now));
    return `/admin/blogs/ada/posts/${id}/revisions`;
  };
  const long = await changed("A goat drank no tea.\n\n".repeat(20_000), "Short now.");
  const short = await changed("One cup.", "Two cups.");
  const other = Promise.withResolvers<string>();
  const others = askLong(at.platen, () => other.promise, undefined, inTurnOfComparing);
  let isThere = false;
  const asked = at.browser.get(`${long}?revision=1`).then((answer) => {
    isThere = true;
    return answer;
  });
  // Far more than it takes to compare them.
  for (let turns = 0; turns < 1000; turns++) await new Promise(setImmediate);
  expect(await (await at.browser.get(`${short}?revision=2`)).text()).toContain(
    "<del>Two</del><ins>One</ins>",
  );
  expect((await at.browser.get(long)).status).toBe(200);
  await askLong(at.platen, () => "long");
  expect(isThere).toBe(false);
  other.resolve("");
  await others;
  expect(await (await asked).text()).toContain("What restoring changes");
});

test("nothing long is made beside another long answer, be it of one long post or of many short ones", async () => {
  const at = await startLong();
  await at.saveShort();
  const short = ["/category/short/feed.json", "/api/v1/posts?include_content=true&category=Short"];
  for (const path of ["/feed.xml", ...short, at.long, "/long"]) {
    const long = Promise.withResolvers<string>();
    const others = askLong(at.platen, () => long.promise);
    let isThere = false;
    const asked = at.get(path).then((answer) => {
      isThere = true;
      return answer;
    });
    // Far more than it takes to make it.
    for (let turns = 0; turns < 1000; turns++) await new Promise(setImmediate);
    expect([path, isThere]).toEqual([path, false]);
    long.resolve("");
    await others;
    expect((await (await asked).bytes()).length).toBeGreaterThan(1e6);
  }
});

test("long pages, packed ones too, feeds and shared posts are whole, and known again", async () => {
  const at = await startPages();
  const words = Array.from({ length: 150_000 }, (_, word) => Bun.hash(`${word}`).toString(36)).join(" ");
  const post = { slug: "words", status: "published", content: words, meta: { is_shared: true } };
  const { share_id } = (await at.api("POST", "/posts", { post })).body.post.meta;
  const shared = `/share/${share_id}`;
  for (const path of ["/words", "/feed.xml", "/feed.json", shared])
    for (const encoding of ["", "zstd", "zstd"]) {
      const answer = await at.read("203.0.113.7", path, { "accept-encoding": encoding });
      const packed = path === shared ? "" : encoding;
      expect([path, answer.headers.get("content-encoding") ?? ""]).toEqual([path, packed]);
      const [first, ...others] = await Array.fromAsync(answer.body as ReadableStream<Uint8Array>);
      expect([path, first?.length]).toEqual([path, 65_536]);
      const bytes = Buffer.concat([first as Uint8Array, ...others]);
      const text = (packed ? Bun.zstdDecompressSync(bytes) : bytes).toString();
      expect([path, text.includes(words)]).toEqual([path, true]);
    }
  const known = (await at.read("203.0.113.7", "/words")).headers.get("etag") ?? "";
  expect((await at.read("203.0.113.7", "/words", { "if-none-match": known })).status).toBe(304);
});
