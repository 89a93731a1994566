import { expect, test } from "bun:test";
import type { kommentHtml } from "../src/komments/komment-html";
import type { readMention } from "../src/mentions/mention-and-endpoint-parsing";
import { JobLimitExceeded, workerQueues } from "../src/worker-queue";

const TARGET = "https://blog.test/tea";
/** The parser copies the text once for each nested element: 3 GB. */
const GREEDY = `<a href="${TARGET}">x</a><div class="h-entry">${'<div class="e-content">'.repeat(3000)}${"a".repeat(900_000)}`;
/** Takes seconds. */
const SLOW = `<div>Tea${"<b>".repeat(60_000)}</div>`;

test("a job of an author does not end because a hostile page takes too much memory", async () => {
  const cost = { within: 60_000, characters: 0, source: "" };
  const own = workerQueues.authors.run<typeof kommentHtml>("kommentHtml", cost, SLOW);
  const hostile = workerQueues.remote
    .run<typeof readMention>("readMention", cost, GREEDY, "https://eve.example/", TARGET)
    .catch((error) => error);
  expect(await own).toContain("Tea");
  expect(await hostile).toEqual(new JobLimitExceeded("memory"));
}, 120_000);
