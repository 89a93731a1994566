import type { Blog } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import { queueEvents } from "./event-queue";
import { recordTestEvent } from "./events";
import { requireWebhook } from "./webhook-urls";

/** Post id of a test event. No real post has it. */
const NO_POST = 0;

/**
 * Queues a `webhook.test` event for one URL. Its post does not exist.
 * @returns the delivery id
 * @throws Refusal: missing; conflict if the URL is disabled or paused
 */
export function sendTestEvent(platen: Platen, blog: Blog, url: string): number {
  const at = platen.now();
  return inTransaction(platen, () => {
    queueEvents(platen);
    const webhook = requireWebhook(platen, blog, url);
    if (webhook.disabledAt) throw conflict(`The webhook ${webhook.url} is disabled; enable it first.`);
    if (webhook.pausedAt) throw conflict(`The webhook ${webhook.url} is paused; resume it first.`);
    const post = {
      id: NO_POST,
      slug: "test",
      title: "A test of this webhook",
      type: "post" as const,
      url: `${blogUrl(platen, blog)}test`,
      publishedAt: at,
      updatedAt: at,
    };
    return recordTestEvent(platen, blog, webhook, { name: "webhook.test", at, post });
  });
}
