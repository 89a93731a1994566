import { expect, test } from "bun:test";
import { bytesOf } from "../../src/http/answers/answer";
import { answerInTurns, Unwritten } from "../../src/http/answers/json-pieces";
import { startPlaten } from "../support/platen";

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
