/**
 * Writes, reads, uploads, copies, backs up, kills and restarts at random, on the real program: the executable where there
 * is `dist/platen`, else from source. In the end nothing that was acknowledged may be missing, in the folder or in any
 * copy of it. `bun run bench:endure` takes an hour; `--minutes 3`, or `--rounds 5`: until the server was ended so often.
 * `--seed N` throws the same dice again; what meets what is up to the machine all the same.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { dice } from "../../test/support/dice";
import { contentsOfServer } from "./contents";
import { Ledger } from "./ledger";
import { copier, operator, switcher } from "./operators";
import { kommenter, reader, writer } from "./people";
import { Program } from "./program";
import type { Tally } from "./run";

const MINUTE = 60_000;
const CAST = [
  { count: 4, part: writer },
  { count: 2, part: kommenter },
  { count: 2, part: reader },
  { count: 2, part: copier },
  { count: 1, part: operator },
  { count: 1, part: switcher },
];
/** In the whole of a run: more would fill the log to where it is started over, and copies under way then may be torn. */
const MOST_WRITES = 15_000;
/** With more there is no use in going on. */
const MOST_FAULTS = 20;
/** In milliseconds. */
const TOLD_EVERY = 500;

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    rounds: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const seed = Number(values.seed);
const rounds = values.rounds === undefined ? null : Number(values.rounds);
const minutes = Number(values.minutes ?? 60);

process.on("SIGINT", () => process.exit(130));
const folder = mkdtempSync(join(tmpdir(), "platen-endure-"));
const program = new Program(join(folder, "data"));
const ledger = new Ledger();
const tally: Tally = { read: 0, copies: 0, backups: 0, snapshots: 0, checks: 0, commands: 0 };
const began = performance.now();
const length = rounds === null ? `${minutes} minutes` : `${rounds} rounds`;
console.log(`${length} of ${program.command.join(" ")}, --seed ${seed}, in ${folder}`);

const key = await setUp();
const telling = process.stdout.isTTY ? setInterval(tell, TOLD_EVERY) : undefined;
await runAll();
await lookAtTheEnd();
clearInterval(telling);
console.log(`${process.stdout.isTTY ? "\r\x1b[K" : ""}${summary()}`);
for (const fault of ledger.faults.slice(0, MOST_FAULTS)) console.log(fault);
if (ledger.faults.length > MOST_FAULTS) console.log(`and ${ledger.faults.length - MOST_FAULTS} more`);
if (ledger.faults.length === 0) rmSync(folder, { recursive: true });
else console.log(`${ledger.faults.length} faults, with --seed ${seed}. What is left of it is in ${folder}`);
process.exit(ledger.faults.length === 0 ? 0 : 1);

/** The API key of a blog with a post that komments are written under. */
async function setUp(): Promise<string> {
  ledger.begin("title", "Ada")();
  const key = await program.demand(["setup", "--email", "ada@example.com", "--title", "Ada"]);
  await program.start();
  const post = { title: "Welcome", content: "welcome", status: "published" };
  const acknowledge = ledger.begin("post Welcome", "published “welcome” (7)");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ post });
  const answer = await fetch(`${await program.url}/api/v1/posts`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  acknowledge();
  return key;
}

/** Everybody takes turns of their own until it is over, and ends the last one in order. */
async function runAll(): Promise<void> {
  const writers = CAST.find(({ part }) => part === writer)?.count as number;
  const pace = rounds === null ? (minutes * MINUTE * writers) / MOST_WRITES : 0;
  const parts = CAST.flatMap(({ count, part }, kind) =>
    Array.from({ length: count }, (_, number) => {
      const own = dice(seed * 1000 + kind * 100 + number);
      return part({ program, ledger, key, dice: own, beside: folder, pace, tally }, number);
    }),
  );
  const end = rounds === null ? setTimeout(() => ledger.close(), minutes * MINUTE) : undefined;
  await Promise.all(parts.map(play));
  clearTimeout(end);
}

async function play(turn: () => Promise<void>): Promise<void> {
  do {
    await turn().catch((fault: Error) => ledger.fault(fault.message));
    const isEnough = rounds !== null && program.killed + program.stopped >= rounds;
    if (isEnough || ledger.faults.length > MOST_FAULTS) ledger.close();
  } while (!ledger.isClosed);
}

/** Once more after a crash, and once more after a stop. */
async function lookAtTheEnd(): Promise<void> {
  try {
    await program.kill();
    await program.start();
    const now = performance.now();
    ledger.compare("In the end", await contentsOfServer(program, key), now, now);
    await program.stop();
    await program.demand(["check"]);
  } catch (fault) {
    ledger.fault((fault as Error).message);
  }
}

function tell(): void {
  process.stdout.write(`\r\x1b[K${summary()}`.slice(0, (process.stdout.columns ?? 80) + 4));
}

function summary(): string {
  const { read, copies, backups, snapshots, checks, commands } = tally;
  const seconds = Math.round((performance.now() - began) / 1000);
  return (
    `${seconds} s: ${ledger.acknowledged} changes acknowledged, ${read} pages read, ${program.killed} × killed, ` +
    `${program.stopped} × stopped, ${copies} copies, ${backups} backups, ${snapshots} snapshots, ` +
    `${checks} checks, ${commands} commands, ${ledger.faults.length} faults`
  );
}
