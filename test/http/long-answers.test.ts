import { afterEach, expect, jest, test } from "bun:test";
import { promisify } from "node:util";
import { bytesOf } from "../../src/http/answers/answer";
import { answerInTurns, Unwritten } from "../../src/http/answers/large-json-answers";
import { LARGEST } from "../../src/limits";
import { MINUTE, startPlaten } from "../support/platen";

afterEach(() => {
  jest.useRealTimers();
});

const asking = (signal?: AbortSignal) => ({ request: new Request("http://blog.test/", { signal }) });

test("long answers are put together one after the other, whatever addresses they are asked for at, and one that fails holds up none", async () => {
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = async () => {
    const value = async () => {
      const text = Promise.withResolvers<string>();
      begun.push(text);
      return await text.promise;
    };
    const { body } = await answerInTurns(asking(), 200, ['{"post":', new Unwritten(value), "}"]);
    return new TextDecoder().decode(bytesOf(body));
  };
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
  const first = Promise.withResolvers<string>();
  const away = new AbortController();
  let asked = 0;
  const ask = (value: () => unknown, signal?: AbortSignal) =>
    answerInTurns(asking(signal), 200, [new Unwritten(value)]);
  const begun = ask(() => first.promise);
  const given = ask(() => ++asked, away.signal);
  const last = ask(() => "last");
  away.abort();
  first.resolve("first");
  expect(given).rejects.toThrow("abort");
  await begun;
  expect(new TextDecoder().decode(bytesOf((await last).body))).toBe('"last"');
  expect(asked).toBe(0);
});

test("what Micropub apps ask for first waits for no long answer, nor does a short post", async () => {
  const { fetch, api, key } = startPlaten();
  await api("POST", "/posts", { post: { title: "Short", status: "published" } });
  const long = Promise.withResolvers<string>();
  const others = answerInTurns(asking(), 200, [new Unwritten(() => long.promise)]);
  const headers = { authorization: `Bearer ${key}` };
  for (const query of ["config", "category", "source"])
    expect((await fetch(`/micropub?q=${query}`, { headers })).status).toBe(200);
  expect((await fetch("/micropub/media?q=source", { headers })).status).toBe(200);
  long.resolve("");
  await others;
});

/** A post of four megabytes and two short ones, read with any key and at any number of addresses. */
async function startLong() {
  const at = startPlaten();
  const save = (post: object) => at.api("POST", "/posts", { post: { status: "published", ...post } });
  const paragraphs = (count: number) => "<p>A goat drank no tea.</p>\n".repeat(count);
  const { id } = (await save({ slug: "long", content: paragraphs(160_000) })).body.post;
  for (let made = 0; made < 2; made++) await save({ content: paragraphs(4000), category: "Short" });
  let asked = 0;
  /** The same, and never at the same address. */
  const anew = (path: string) => `${path}${path.includes("?") ? "&" : "?"}x=${asked++}`;
  const get = (path: string, key = at.key) =>
    at.fetch(anew(path), { headers: { authorization: `Bearer ${key}` } });
  return { ...at, get, long: `/api/v1/posts/${id}` };
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
  ["what a post was made from", "/micropub?q=source&url=http://blog.test/long"],
])("nor is this made for it: %s", async (_, path) => {
  const at = await startLong();
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
    message: "Other long answers to this key have not been read yet: read them first.",
  });
  expect((await written).status).toBe(503);
  jest.useRealTimers();
  expect((await at.api("GET", "/posts?search=many")).body.posts).toEqual([]);
  for (const { leave } of answers) await leave();
  expect((await at.get(at.long)).status).toBe(200);
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
