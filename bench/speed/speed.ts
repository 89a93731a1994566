/**
 * Compares the executable with a minimal server on the same machine, and a small blog with a large one. `bun
 * run bench` writes docs/benchmarks.md; `bun run bench --check` compares with this file and exits with 1 if
 * anything got worse. `--corpora FOLDER` is the folder of the test blogs (default: the temporary folder).
 * `--quick` only checks that the benchmark runs.
 */
import { arch, availableParallelism, cpus, loadavg, platform, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import manifest from "../../package.json";
import { builtExecutable } from "../../test/support/executable";
import { chartOf } from "./chart";
import { measureGrowth } from "./growth";
import { HAS_WRK } from "./load";
import { measureReading } from "./reading";
import { type Figures, listRegressions, ratiosOf, reportOf } from "./report";
import { measureMachine } from "./small-machine";
import { FULL, prepareCorpora, QUICK } from "./stage";
import { measureWebhooks } from "./webhook-rate";
import { measureWriting } from "./writing";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    corpora: { type: "string", default: join(tmpdir(), "platen-corpora") },
  },
});
const DOCS = join(import.meta.dir, "../../docs");
const extent = values.quick ? QUICK : FULL;
process.umask(0o077);

const loadBefore = loadavg()[0] as number;
const figures = await measureAll();
const report = reportOf(figures, extent, describeMachine());
const page = Bun.file(join(DOCS, "benchmarks.md"));
if (values.quick) console.log(report);
else if (values.check) {
  const worse = listRegressions(await page.text(), report);
  console.log(worse.join("\n") || "No figure got worse by more than 15 %.");
  if (worse.length > 0) process.exit(1);
} else {
  // Keep the figures that were measured by hand.
  const [, byHand = ""] = (await page.text()).split(/^(?=## Imports and exports)/m);
  await Bun.write(page, `${report}${byHand && `\n${byHand}`}`);
  await Bun.write(join(DOCS, "benchmarks.svg"), chartOf(ratiosOf(figures)));
}
process.exit(0);

async function measureAll(): Promise<Figures> {
  const { corpora } = values;
  await builtExecutable();
  await prepareCorpora(corpora, [extent.small, extent.large], printProgress);
  const reading = await measureReading(corpora, extent, printProgress);
  const writing = await measureWriting(corpora, extent, printProgress);
  printProgress("webhooks");
  const webhooks = await measureWebhooks(corpora, extent);
  const growth = await measureGrowth(corpora, extent, printProgress);
  printProgress("memory, starts");
  const machine = await measureMachine(corpora, extent);
  return { reading, writing, webhooks, growth, machine };
}

function describeMachine(): string[] {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const sender = HAS_WRK ? "wrk with one thread" : "a sender of its own (`bench/speed/load-sender.ts`)";
  return [
    `Measured on ${new Date().toISOString().slice(0, "yyyy-mm-dd".length)} on ${availableParallelism()} cores of`,
    `${cpus()[0]?.model ?? arch()}, ${gigabytes} GiB, ${platform()}-${arch()}, over loopback by ${sender};`,
    `Platen ${manifest.version} as the executable, Bun ${Bun.version}, sharp ${sharp.versions.sharp}.`,
    `The load average before was ${loadBefore.toFixed(1)}.`,
  ];
}

function printProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}
