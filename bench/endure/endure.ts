/**
 * Writes, reads, uploads, copies, backs up, kills and restarts at random, with `dist/platen` or else from
 * source. Afterwards, no acknowledged change may be missing in the folder or a copy. `bun run bench:endure`
 * takes an hour; `--minutes 3` is shorter, and `--rounds 5` stops after five restarts. `--seed N` repeats the
 * random choices, but not their timing.
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

const MINUTE = 60_000;
const WRITERS = [writer, writer, writer, writer];
const CAST = [kommenter, kommenter, reader, reader, copier, copier, copier, operator, switcher];
/** Keeps the copied folder below a gigabyte. */
const MAX_WRITES = 40_000;
/**
 * Changes per season. At the end of a season, the WAL is reset or checkpointed. The first season comes before
 * the first copy, because a copy can only be torn if the database file has pages that the WAL lacks.
 */
const SEASON = 1500;
const FIRST_SEASON = rounds === null ? 400 : 100;
const MAX_ERRORS = 20;
const PROGRESS_INTERVAL_MS = 500;

process.on("SIGINT", () => process.exit(130));
const folder = mkdtempSync(join(tmpdir(), "platen-endure-"));
const program = new Program(join(folder, "data"));
const ledger = new Ledger();
const tally: Tally = {
  kill: 0,
  stop: 0,
  read: 0,
  copies: 0,
  backups: 0,
  snapshots: 0,
  checks: 0,
  commands: 0,
};
const began = performance.now();
const length = rounds === null ? `${minutes} minutes` : `${rounds} rounds`;
console.log(`${length} of ${program.command.join(" ")}, --seed ${seed}, in ${folder}`);

const key = await setUp();
const telling = process.stdout.isTTY ? setInterval(printProgress, PROGRESS_INTERVAL_MS) : undefined;
await runAll();
await checkContents();
clearInterval(telling);
console.log(`${process.stdout.isTTY ? "\r\x1b[K" : ""}${summary()}`);
for (const error of ledger.errors.slice(0, MAX_ERRORS)) console.log(error);
if (ledger.errors.length > MAX_ERRORS) console.log(`and ${ledger.errors.length - MAX_ERRORS} more`);
if (ledger.errors.length === 0) rmSync(folder, { recursive: true });
else console.log(`${ledger.errors.length} errors, with --seed ${seed}. What is left of it is in ${folder}`);
process.exit(ledger.errors.length === 0 ? 0 : 1);

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

async function runAll(): Promise<void> {
  const pace = rounds === null ? (minutes * MINUTE * WRITERS.length) / MAX_WRITES : 0;
  const turns = [...WRITERS, ...CAST].map((part, number) =>
    part(
      { program, ledger, key, dice: dice(seed * 100 + number), copiesFolder: folder, pace, tally },
      number,
    ),
  );
  await play(turns.slice(0, WRITERS.length), FIRST_SEASON);
  const timer = setTimeout(() => ledger.close(), minutes * MINUTE);
  for (let season = 1; !isOver(); season++) {
    await (season % 2 === 1 ? program.startLogOver() : program.ageLog());
    await play(turns, SEASON);
  }
  clearTimeout(timer);
}

async function play(turns: (() => Promise<void>)[], changes: number): Promise<void> {
  ledger.open();
  ledger.more(changes).then(() => ledger.close());
  const runParticipant = async (turn: () => Promise<void>) => {
    do {
      await turn().catch((error: Error) => ledger.error(error.message));
      if (isOver()) ledger.close();
    } while (!ledger.isClosed);
  };
  await Promise.all(turns.map(runParticipant));
}

function isOver(): boolean {
  if (ledger.errors.length > MAX_ERRORS) return true;
  if (rounds !== null) return tally.kill + tally.stop >= rounds;
  return performance.now() - began >= minutes * MINUTE;
}

async function checkContents(): Promise<void> {
  try {
    await program.kill();
    await program.start();
    const now = performance.now();
    ledger.compare("In the end", await contentsOfServer(program, key), now, now);
    await program.stop();
    await program.demand(["check"]);
  } catch (error) {
    ledger.error((error as Error).message);
  }
}

function printProgress(): void {
  process.stdout.write(`\r\x1b[K${summary()}`.slice(0, (process.stdout.columns ?? 80) + 4));
}

function summary(): string {
  const { kill, stop, read, copies, backups, snapshots, checks, commands } = tally;
  const seconds = Math.round((performance.now() - began) / 1000);
  return (
    `${seconds} s: ${ledger.acknowledged} changes acknowledged, ${read} pages read, ${kill} × killed, ` +
    `${stop} × stopped, ${copies} copies, ${backups} backups, ${snapshots} snapshots, ` +
    `${checks} checks, ${commands} commands, ${ledger.errors.length} errors`
  );
}
