/**
 * Runs the server's S3 loop with a manual clock: each line of stdin moves it by that many milliseconds, and prints the result
 * as a line of JSON. It is a program of its own, because S3 keys are read at start.
 */
import { readSettings } from "../../../src/config/config";
import { openDatabase } from "../../../src/database/open";
import { storeLoop, storeStatus } from "../../../src/media/moving-media";

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
