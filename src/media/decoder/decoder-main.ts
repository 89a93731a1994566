import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { MEGABYTE } from "../../config/units";
import { type DecoderOutcome, ImageError, type Task } from "./decoder-tasks";
import { draw } from "./drawing";
import { encodePicture, makePoster, shrink } from "./encoding-pictures";
import { convertHeic } from "./heic-conversion";
import { measureMemory, readPicture } from "./reading-pictures";

const COLLECTED_FROM = 12 * MEGABYTE;

/** Runs tasks from the server until the server disconnects or kills the process. */
export async function decodePictures(): Promise<number> {
  yieldToOthers();
  const isAlone = new Promise<void>((resolve) => process.once("disconnect", resolve));
  process.on("message", async ({ id, task }: { id: number; task: Task }) => {
    const outcome = await outcomeOf(task);
    if (process.connected) process.send?.({ id, outcome });
    collectGarbage();
  });
  await isAlone;
  return 0;
}

/**
 * Lowers CPU and disk priority, so that pages come first. If memory runs out, the kernel kills this process first.
 */
function yieldToOthers(): void {
  try {
    setPriority(19);
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not every system supports or permits this.
  }
}

let keptMemory = 0;

/** Forces garbage collection. The collector underestimates native memory of files and pixels. */
function collectGarbage(): void {
  if (process.memoryUsage.rss() - keptMemory < COLLECTED_FROM) return;
  Bun.gc(true);
  keptMemory = process.memoryUsage.rss();
}

async function outcomeOf(task: Task): Promise<DecoderOutcome> {
  try {
    return { done: await resultOf(task) };
  } catch (fault) {
    if (fault instanceof ImageError) return { pictureFault: fault.message };
    const { message, code } = fault as Error & { code?: string };
    return { failed: message, code };
  }
}

function resultOf(task: Task): Promise<unknown> {
  switch (task.name) {
    case "read":
      return readPicture(task);
    case "convert":
      return convertHeic(task);
    case "encode":
      return encodePicture(task);
    case "poster":
      return makePoster(task);
    case "measure":
      return measureMemory(task);
    case "shrink":
      return shrink(task);
    case "draw":
      return draw(task);
  }
}
