import { receiverHealth } from "../../deliveries/delivery-log";
import { isSuccess } from "../../deliveries/retries-and-disabling";
import { blogKomments, countKomments } from "../../komments/komment-list";
import { relayProblem } from "../../mail/relay-settings";
import { countMessages } from "../../messages";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { backupStatus } from "../../upkeep/backup/backup-schedule";
import { findRefusedIpTargets, listWebhooks, type Webhook } from "../../webhooks/webhook-urls";
import { type BlogVisit, blogPath } from "../layout/visit";

const MAX_NAMES = 3;

interface Need {
  words: string;
  about: string;
  path: string;
  isProblem?: boolean;
}

export async function attentionSection(visit: BlogVisit): Promise<Html | null> {
  const needs = [pendingKomments(visit), unreadMessages(visit), await brokenWebhooks(visit)];
  const shown = [...needs, failedBackup(visit), mailProblem(visit)].filter((need) => need !== null);
  if (shown.length === 0) return null;
  return html`<section class="needs"><h2>Needs you</h2>
<ul class="rows">
${shown.map(needRow)}</ul>
</section>`;
}

function needRow({ words, about, path, isProblem }: Need): Html {
  return html`<li><div class="what"><a class="name${isProblem && " fault"}" href="${path}">${words}</a>
<p class="about"><span><bdi>${about}</bdi></span></p></div></li>
`;
}

function pendingKomments({ platen, blog }: BlogVisit): Need | null {
  const count = countKomments(platen, blog, "waiting");
  if (count === 0) return null;
  const rows = blogKomments(platen, blog, { status: "waiting", page: 1, limit: MAX_NAMES });
  const names = [...new Set(rows.map(({ komment }) => komment.name))].join(", ");
  return {
    words: counted(count, "pending komment"),
    about: `from ${names}${count > rows.length ? " and others" : ""}`,
    path: blogPath(blog, "/komments"),
  };
}

function unreadMessages({ platen, blog }: BlogVisit): Need | null {
  const count = countMessages(platen, blog, "waiting");
  if (count === 0) return null;
  const words = counted(count, "unread message");
  return { words, about: "from readers", path: blogPath(blog, "/messages") };
}

async function brokenWebhooks({ platen, blog }: BlogVisit): Promise<Need | null> {
  const all = listWebhooks(platen, blog);
  const urls = all.map(({ url }) => url);
  const rejected = await findRefusedIpTargets(platen, blog, urls);
  const broken = all.flatMap((webhook) => {
    const problem = webhookProblem(platen, webhook, rejected.has(webhook.url));
    return problem === null ? [] : [{ host: URL.parse(webhook.url)?.host ?? webhook.url, why: problem }];
  });
  const [first] = broken;
  if (!first) return null;
  return {
    words: counted(broken.length, "webhook problem"),
    about: `${first.host} ${first.why}`,
    path: blogPath(blog, "/webhooks"),
    isProblem: true,
  };
}

function webhookProblem(platen: Platen, webhook: Webhook, isRejected: boolean): string | null {
  if (webhook.disabledAt) return "is turned off";
  if (webhook.pausedAt) return null;
  if (isRejected) return "is blocked by server settings";
  const { last } = receiverHealth(platen, webhook);
  return webhook.failingSince || (last && !isSuccess(last)) ? "is failing" : null;
}

function failedBackup({ platen, account }: BlogVisit): Need | null {
  const failure = backupStatus(platen).find((line) => line.startsWith("backup failed: "));
  if (!account.isAdmin || failure === undefined) return null;
  const about = failure.slice("backup failed: ".length);
  return { words: "The last backup failed", about, path: "/admin/backups", isProblem: true };
}

/** A failing mail relay cannot be reported by mail, so the dashboard reports the failure. */
function mailProblem({ platen, blog, account }: BlogVisit): Need | null {
  const about = relayProblem(platen);
  if (about === null) return null;
  const path = account.isAdmin ? "/admin/mail" : blogPath(blog, "/reach");
  return { words: "No mail is being sent", about, path, isProblem: true };
}
