/**
 * A program that does what a server does for its store, by a clock that is moved by hand: of each line on standard input so
 * many milliseconds pass. It says what came of it in a line of JSON. Keys of a store are read when a program starts.
 */
import { readSettings } from "../../../src/config/config";
import { openDatabase } from "../../../src/database/open";
import { storeLoop, storeStatus } from "../../../src/media/moving/store-loop";

const [, , data = ""] = Bun.argv;
let now = Date.now();
const log: string[] = [];
const platen = {
  config: { ...readSettings({ data }, {}), url: "http://blog.test" },
  db: openDatabase(data),
  now: () => new Date(now),
  log: (line: string) => void log.push(line),
};
const loop = storeLoop(platen);
for await (const line of console) {
  now += Number(line);
  loop.step();
  await loop.settled();
  console.log(JSON.stringify({ log: log.splice(0), state: storeStatus(platen) }));
}
