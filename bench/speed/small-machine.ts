import { statSync } from "node:fs";
import { freshFolder, startServer } from "../../test/support/program";
import { peakMemory, processorTime, residentMemory } from "../processes";
import { median } from "../statistics";
import { runLoad } from "./load";
import { CONNECTIONS } from "./reading";
import { type Extent, openStage, type Stage } from "./stage";

export interface MachineFigures {
  /** Bytes. */
  executable: number;
  /** Milliseconds until the first response. */
  start: { empty: number; large: number };
  /** Resident bytes and CPU share, without requests. */
  idle: { memory: number; processor: number };
  /** Peak bytes with the highest number of connections, on the large blog. */
  loaded: number;
}

const STARTS = 5;
const SECOND = 1000;
/**
 * Wait until start-up tasks have ended; then the measured time, which includes tasks that run every minute.
 */
const SETTLED = 90 * SECOND;
const WATCHED = 60 * SECOND;
const LOADED = [
  "/",
  "/archive",
  "/feed.xml",
  "/search?q=tare",
  "/api/v1/posts",
  "/api/v1/posts?include_content=true",
];

export async function measureMachine(corpora: string, extent: Extent): Promise<MachineFigures> {
  await using large = await openStage(corpora, extent.large);
  await Bun.sleep(SETTLED * extent.share);
  const [idle, before] = [residentMemory(large.pid), processorTime(large.pid)];
  await Bun.sleep(WATCHED * extent.share);
  const processor = (processorTime(large.pid) - before) / (WATCHED * extent.share);
  const loaded = await memoryUnderLoad(large, extent);
  const times = Math.ceil(STARTS * extent.share);
  return {
    executable: statSync(large.executable).size,
    start: {
      empty: await timeToStart(large.executable, null, times),
      large: await timeToStart(large.executable, large, times),
    },
    idle: { memory: idle, processor },
    loaded,
  };
}

async function memoryUnderLoad(stage: Stage, { seconds }: Extent): Promise<number> {
  const connections = CONNECTIONS.at(-1) as number;
  for (const path of LOADED)
    await runLoad(stage, { path, headers: stage.headersFor(path) }, { connections, seconds });
  return peakMemory(stage.pid);
}

/** @param stage is stopped first; null for a new folder */
async function timeToStart(executable: string, stage: Stage | null, times: number): Promise<number> {
  await stage?.program.stop();
  const took: number[] = [];
  for (let time = 0; time < times; time++) {
    const data = stage?.data ?? freshFolder();
    const began = performance.now();
    const program = await startServer({ data, program: [executable] });
    await (await fetch(program.url)).text();
    took.push(performance.now() - began);
    await program.stop();
  }
  return median(took);
}
