import { readlinkSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { compareTexts } from "./admin/editor/conflict-comparison";
import { checkpoint, runReadOnly } from "./database/worker-queries";
import { Refusal } from "./errors";
import { parseClientHtml } from "./indieauth/client-html";
import { kommentHtml } from "./komments/komment-html";
import { findEndpoint, readMention } from "./mentions/mention-and-endpoint-parsing";
import { highlightCode } from "./posts/content/highlighting";
import { parseLinkHtml } from "./posts/content/link-card-metadata";
import { markdownToHtml } from "./posts/content/markdown";
import { renderContent } from "./posts/content/rendering";
import { scanForMentions } from "./posts/media-library/file-mentions";
import type { Job, WorkerMessage } from "./worker-queue";

// biome-ignore lint/suspicious/noExplicitAny: WorkerQueue.run checks the arguments
const FUNCTIONS: Record<string, (...args: any[]) => unknown> = {
  compareTexts,
  highlightCode,
  kommentHtml,
  markdownToHtml,
  scanForMentions,
  parseClientHtml,
  parseLinkHtml,
  readMention,
  checkpoint,
  findEndpoint,
  renderContent,
  runReadOnly,
};

const send = (message: WorkerMessage) => parentPort?.postMessage(message);

parentPort?.on("message", async ({ name, args }: Job) => send(await runFunction(name, args)));
send({ ready: true, thread: ownThread() });

/** @returns a path below /proc, such as "1234/task/1240"; null without /proc */
function ownThread(): string | null {
  try {
    return readlinkSync("/proc/thread-self");
  } catch {
    return null;
  }
}

async function runFunction(name: string, args: unknown[]): Promise<WorkerMessage> {
  try {
    return { result: await FUNCTIONS[name]?.(...args) };
  } catch (error) {
    if (!(error instanceof Refusal)) return { failed: error };
    const { kind, message, fields } = error;
    return { refused: { kind, message, fields } };
  }
}
