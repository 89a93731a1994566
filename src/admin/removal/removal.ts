import { recordAuditEvent } from "../../accounts/audit-log";
import type { Blog } from "../../blogs/blogs";
import { listUnfinishedJobs, startJob } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { measureBlog } from "../../upkeep/removal/owned-rows";
import { type Removed, removalJob } from "../../upkeep/removal/removal-job";
import type { Visit } from "../layout/visit";
import { byteWords } from "../words/byte-words";

/** @returns id of the new or already running job @throws Refusal (conflict) if too many jobs are pending */
export function startRemoval({ call: { platen }, account }: Visit, removed: Removed): number {
  const begun = listUnfinishedJobs(platen).find(
    ({ kind, given }) => kind === removalJob.name && Bun.deepEquals(given, removed),
  );
  if (begun) return begun.id;
  const job = startJob(platen, removalJob, { blog: null, account, given: removed });
  const act = "blog" in removed ? "began to remove a blog" : "began to remove an account";
  recordAuditEvent(platen, act, { account, about: removed.title });
  return job;
}

/** A summary such as "12 posts, 3 files of 1.2 MB, …". */
export function blogInNumbers(platen: Platen, blog: Blog): string {
  const { posts, files, bytes, komments, messages, webhooks, keys } = measureBlog(platen, blog);
  const numbers: [number, string][] = [
    [posts, counted(posts, "post")],
    [files, `${counted(files, "file")} of ${byteWords(bytes)}`],
    [komments, counted(komments, "komment")],
    [messages, counted(messages, "message")],
    [webhooks, counted(webhooks, "webhook URL")],
    [keys, counted(keys, "key")],
  ];
  const there = numbers.filter(([number]) => number > 0).map(([, words]) => words);
  return there.join(", ") || "Only its settings";
}
