import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { contentsOfFolder, KEYS } from "./contents";
import type { Run } from "./run";

/** Acknowledged changes between two restarts, two parts of a copy, and two commands. */
const MAX_BETWEEN = { ends: 300, parts: 80, commands: 80 };
const MAX_PARTS = 4;
const MIN_PIECE_BYTES = 100_000;
/** Database files and media may be copied in any order. */
const ORDERS = [
  ["platen.db", "platen.db-wal", "media"],
  ["platen.db-wal", "platen.db", "media"],
  ["media", "platen.db", "platen.db-wal"],
  ["media", "platen.db-wal", "platen.db"],
];

export function switcher({ program, ledger, dice, tally }: Run) {
  const deal = shuffledRounds(dice, ["kill", "kill", "stop"] as const);
  return async () => {
    await ledger.more(1 + dice.below(MAX_BETWEEN.ends));
    const end = deal();
    try {
      await program[end]();
      tally[end]++;
    } finally {
      await program.start();
    }
  };
}

/** Copies the folder as `cp` does, with long pauses. */
export function copier(run: Run, number: number) {
  const { program, dice } = run;
  const deal = shuffledRounds(dice, ORDERS);
  let count = 0;
  return async () => {
    const copy = join(run.copiesFolder, `copy-${number}-${++count}`);
    const began = performance.now();
    const order = deal();
    mkdirSync(copy);
    for (const name of order) {
      await (name === "media" ? copyFolder : copyFile)(run, join(program.data, name), join(copy, name));
      await pause(run);
    }
    run.tally.copies++;
    await checkCopy(run, `The copy of ${order.join(", ")}`, copy, began);
  };
}

async function copyFolder(run: Run, from: string, to: string): Promise<void> {
  mkdirSync(to);
  if (!existsSync(from)) return;
  const parts = 1 + run.dice.below(MAX_PARTS);
  // Names with a dot are temporary files, which may be deleted before they are read.
  const names = (await readdir(from)).filter((name) => !name.startsWith("."));
  for (const [at, name] of names.entries()) {
    cpSync(join(from, name), join(to, name), { recursive: true });
    if (at % Math.ceil(names.length / parts) === 0) await pause(run);
  }
}

async function copyFile(run: Run, from: string, to: string): Promise<void> {
  if (!existsSync(from)) return;
  const [source, target] = [await open(from, "r"), await open(to, "w")];
  try {
    const parts = 1 + run.dice.below(MAX_PARTS);
    const piece = Buffer.alloc(Math.ceil((await source.stat()).size / parts) + MIN_PIECE_BYTES);
    for (let part = 1; ; part++) {
      const { bytesRead } = await source.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return;
      await target.writeFile(piece.subarray(0, bytesRead));
      // No pauses after that, because the WAL may grow faster than it is read.
      if (part < parts) await pause(run);
    }
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

const pause = ({ ledger, dice }: Run) => ledger.more(dice.below(MAX_BETWEEN.parts));

export function operator(run: Run) {
  const { program, ledger, dice, tally } = run;
  const backups = join(run.copiesFolder, "backups");
  let count = 0;

  const backUp = async () => {
    const began = performance.now();
    await program.demand(["backup", backups, "--keep", "1d"]);
    tally.backups++;
    const ended = performance.now();
    const newest = join(
      backups,
      readdirSync(backups)
        .filter((name) => /^\d/.test(name))
        .sort()
        .at(-1) as string,
    );
    await program.demand(["check"], newest);
    const restored = join(run.copiesFolder, `restored-${++count}`);
    await program.demand(["restore", newest], restored);
    await checkCopy(run, `The backup ${newest}`, restored, began, ended);
  };

  const takeSnapshot = async () => {
    const began = performance.now();
    await program.demand(["snapshot"]);
    tally.snapshots++;
    const ended = performance.now();
    const folder = join(run.copiesFolder, `snapshot-${++count}`);
    mkdirSync(folder);
    cpSync(join(program.data, "snapshot.db"), join(folder, "platen.db"));
    symlinkSync(join(program.data, "media"), join(folder, "media"));
    await checkCopy(run, "The snapshot", folder, began, ended);
  };

  const check = async () => {
    await program.demand(["check"]);
    tally.checks++;
  };

  const nameBlog = async () => {
    const title = `Ada ${++count}`;
    const acknowledge = ledger.begin("title", title);
    await program.demand(["blog", "set", "ada", "--title", title]);
    acknowledge();
    tally.commands++;
  };

  const addKey = async () => {
    const name = `${KEYS}${++count}`;
    const acknowledge = ledger.begin(`key ${name}`, "there");
    await program.demand(["key", "add", "--account", "ada@example.com", "--name", name]);
    acknowledge();
    tally.commands++;
  };

  const deal = shuffledRounds(dice, [backUp, takeSnapshot, check, nameBlog, addKey]);
  return async () => {
    await ledger.more(dice.below(MAX_BETWEEN.commands));
    await deal()();
  };
}

async function checkCopy(
  { program, ledger }: Run,
  what: string,
  folder: string,
  began: number,
  ended = performance.now(),
): Promise<void> {
  const errors = ledger.errors.length;
  const { code, stdout, stderr } = await program.run(["check"], folder);
  if (code === 0) ledger.compare(what, contentsOfFolder(folder), began, ended);
  else ledger.error(`${what}, ${folder}, is not in order: ${stdout}${stderr}`);
  if (ledger.errors.length === errors) rmSync(folder, { recursive: true });
}

/** Endless rounds through all items, each in a new random order. */
function shuffledRounds<Item>(dice: Run["dice"], items: readonly Item[]): () => Item {
  let left: Item[] = [];
  return () => {
    if (left.length === 0) left = [...items];
    return left.splice(dice.below(left.length), 1)[0] as Item;
  };
}
