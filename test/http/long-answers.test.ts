import { expect, test } from "bun:test";
import { bytesOf } from "../../src/http/answers/answer";
import { answerInTurns, Unwritten } from "../../src/http/answers/json-pieces";

test("long answers are put together one after the other, whatever addresses they are asked for at, and one that fails holds up none", async () => {
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = async () => {
    const value = async () => {
      const text = Promise.withResolvers<string>();
      begun.push(text);
      return await text.promise;
    };
    const { body } = await answerInTurns(200, ['{"post":', new Unwritten(value), "}"]);
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
