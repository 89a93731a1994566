/** What runs in the threads of worker-queue.ts: the program's second entry point, beside main.ts. */
import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { moveLog } from "./database/log-moving";
import { Refusal } from "./errors";
import { metadataInHtml } from "./indieauth/clients/client-html";
import { kommentHtml } from "./komments/komment-content";
import { highlighted } from "./posts/content/highlighting";
import { markdownToHtml } from "./posts/content/markdown";
import { indexedText } from "./posts/parts/search-text";
import { contentWithWords } from "./posts/writing/content-with-words";
import { faultsOfPart } from "./upkeep/database-check";
import type { Job, Said } from "./worker-queue";

// biome-ignore lint/suspicious/noExplicitAny: each is given what its caller in the other thread gives, checked there
const FUNCTIONS: Record<string, (...given: any[]) => unknown> = {
  contentWithWords,
  faultsOfPart,
  highlighted,
  indexedText,
  kommentHtml,
  markdownToHtml,
  metadataInHtml,
  moveLog,
};

/** As nice(2) has it: the server goes before where both want the processor. */
const NICENESS = 5;

const say = (said: Said) => parentPort?.postMessage(said);

parentPort?.on("message", ({ name, given }: Job) => say(outcomeOf(name, given)));
const thread = ownThread();
if (thread !== null) yieldToServer();
say({ ready: true, thread });

/** "1234/task/1240" below /proc; null where the system has no such folder. */
function ownThread(): string | null {
  try {
    return readlinkSync("/proc/thread-self");
  } catch {
    return null;
  }
}

/** On Linux, where a thread has a niceness of its own (setpriority(2)); elsewhere it would be the process's. */
function yieldToServer(): void {
  try {
    setPriority(getPriority() + NICENESS);
  } catch {
    // Where that is forbidden, both are equal.
  }
}

function outcomeOf(name: string, given: unknown[]): Said {
  try {
    return { gave: FUNCTIONS[name]?.(...given) };
  } catch (fault) {
    if (!(fault instanceof Refusal)) return { failed: fault };
    const { kind, message, fields } = fault;
    return { refused: { kind, message, fields } };
  }
}
