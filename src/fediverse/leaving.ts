import { type Blog, blogById } from "../blogs/blogs";
import { MINUTE, SECOND } from "../config/units";
import { guardedClient } from "../outgoing/guarded-client";
import type { Platen } from "../platen";
import { activityOf, PUBLIC } from "./activity-streams";
import { actorId, actorOfBlog } from "./blog-actors";
import { followerInboxes } from "./followers";
import { sendSigned } from "./remote-documents";

const STARTS_PER_SECOND = 4;
const TIME_LIMIT_MS = 10 * MINUTE;

/**
 * Tries each inbox once, because the key is deleted with the blog. Stops after TIME_LIMIT_MS, even if inboxes
 * are left.
 */
export async function announceRemoval(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  onStep: (done: number, total: number) => void = () => {},
): Promise<void> {
  const blog = blogById(platen, id);
  const actor = blog && actorOfBlog(platen, blog);
  if (!actor) return;
  const inboxes = followerInboxes(platen, blog);
  const ownId = actorId(actor);
  const activity = activityOf(actor, "Delete", `${ownId}#delete`, ownId, { to: [PUBLIC] });
  const sending = { method: "POST" as const, body: JSON.stringify(activity) };
  const client = guardedClient(platen.config);
  const end = performance.now() + TIME_LIMIT_MS;
  const open: Promise<unknown>[] = [];
  for (const [index, url] of inboxes.entries()) {
    if (performance.now() > end) break;
    open.push(
      sendSigned(platen, actor, { ...sending, url }, client).then((response) => {
        if ("statusCode" in response) response.close();
      }),
    );
    onStep(index + 1, inboxes.length);
    if (index + 1 < inboxes.length) await Bun.sleep(SECOND / STARTS_PER_SECOND);
  }
  await Promise.all(open);
}
