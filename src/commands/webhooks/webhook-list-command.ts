import { type Blog, blogById } from "../../blogs/blogs";
import { durationText } from "../../config/durations";
import { listWebhooks } from "../../webhooks/webhook-urls";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { printList } from "../shell/printing";

const COLUMNS = [
  "id",
  "blog",
  "url",
  "is_on",
  "paused_at",
  "sent_after",
  "failing_since",
  "disabled_because",
];

export default command(
  { does: "list the URLs, and which are turned off and why", options: { json } },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      const rows = listWebhooks(platen).map((webhook) => ({
        id: webhook.id,
        blog: (blogById(platen, webhook.blogId) as Blog).slug,
        url: webhook.url,
        is_on: webhook.disabledAt === null,
        paused_at: webhook.pausedAt,
        failing_since: webhook.failingSince,
        disabled_at: webhook.disabledAt,
        disabled_because: webhook.disabledBecause,
        quiet_ms: webhook.quietPeriod,
        created_at: webhook.createdAt,
      }));
      const forPeople = rows.map((row) => ({
        ...row,
        sent_after: row.quiet_ms > 0 ? `${durationText(row.quiet_ms)} of quiet` : "",
      }));
      await printList(values.json ? rows : forPeople, COLUMNS, values.json);
    });
  },
);
