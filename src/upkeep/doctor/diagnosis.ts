import { blogById } from "../../blogs/blogs";
import { listActors } from "../../fediverse/finding-actors";
import { findMailRecords } from "../../mail/mail-records";
import { getRelay } from "../../mail/relay";
import { checkRelay } from "../../mail/sending-mail";
import { storeStatus } from "../../media/moving/store-loop";
import { storeBucket } from "../../media/store/media-store";
import { StoreFault } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { listWebhooks, type Webhook } from "../../webhooks/webhook-urls";
import { purgeFailure } from "../purging/cdn-purges";
import { addressFindings } from "./address-findings";
import { clockFinding } from "./clock-finding";
import { type DoctorFinding, okFinding } from "./doctor-finding";
import { folderFindings } from "./folder-findings";

/** Checks everything from the disk to the public URLs. Changes nothing. */
export async function diagnose(platen: Platen): Promise<DoctorFinding[]> {
  const clock = clockFinding(platen);
  const store = storeFindings(platen);
  const addresses = addressFindings(platen);
  const mail = mailFindings(platen);
  const fediverse = fediverseFindings(platen);
  return [
    ...folderFindings(platen),
    await clock,
    ...(await store),
    ...webhookFindings(platen),
    ...(await mail),
    ...cacheFindings(platen),
    ...(await addresses),
    ...(await fediverse),
  ];
}

async function storeFindings(platen: Platen): Promise<DoctorFinding[]> {
  const bucket = storeBucket(platen);
  if (!bucket) return [];
  const about = "media";
  try {
    await bucket.list("media/0");
    return [
      okFinding(
        about,
        storeStatus(platen)[0]
          ?.replace(/^media: /, "")
          .concat(".") ?? bucket.address,
      ),
    ];
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
    const advice =
      "Check that the bucket exists, and that AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and S3_ENDPOINT are set, for the server too.";
    return [{ about, state: "fault", says: fault.message, advice }];
  }
}

function webhookFindings(platen: Platen): DoctorFinding[] {
  const webhooks = listWebhooks(platen);
  const failing = webhooks.filter((webhook) => webhook.failingSince ?? webhook.disabledAt);
  if (failing.length > 0) return failing.map((webhook) => failingWebhook(platen, webhook));
  return webhooks.length === 0 ? [] : [okFinding("webhooks", "No failed deliveries.")];
}

function failingWebhook(platen: Platen, webhook: Webhook): DoctorFinding {
  const { url, disabledBecause, disabledAt, failingSince } = webhook;
  const about = `webhook of ${blogById(platen, webhook.blogId)?.slug}`;
  if (disabledAt)
    return {
      about,
      state: "fault",
      says: `${url} is disabled. ${disabledBecause ?? ""}`.trim(),
      advice: "Repair the receiver, then type: platen webhook enable",
    };
  return {
    about,
    state: "look",
    says: `${url} has failed since ${failingSince?.toISOString()}.`,
    advice: "See: platen webhook log",
  };
}

/** Logs in to the relay, and looks at the DNS records of the sender's domain. */
async function mailFindings(platen: Platen): Promise<DoctorFinding[]> {
  const relay = getRelay(platen);
  if (!relay) return [];
  const [failure, records] = await Promise.all([checkRelay(platen), findMailRecords(relay.from)]);
  const advice = "Check the relay's address, user and password, then type: platen mail test ADDRESS";
  const login: DoctorFinding = failure
    ? { about: "mail", state: "fault", says: `${relay.host}: ${failure}.`, advice }
    : okFinding("mail", `${relay.host} accepts the login.`);
  const missing = records.filter(({ isThere }) => isThere === false);
  return [
    login,
    ...missing.map(
      ({ name, host }): DoctorFinding => ({
        about: "mail",
        state: "look",
        says: `No ${name} record was found at ${host}.`,
        advice: `Add the ${name} record that your relay's manual shows; without it mail may land in spam.`,
      }),
    ),
    ...(missing.length === 0 && records.every(({ isThere }) => isThere)
      ? [okFinding("mail", "SPF, DKIM and DMARC records are there.")]
      : []),
  ];
}

/** Checks each account of the fediverse through its public address. */
async function fediverseFindings(platen: Platen): Promise<DoctorFinding[]> {
  const actors = listActors(platen);
  if (actors.length === 0) return [];
  const { checkActor } = await import("../../fediverse/address-check");
  return await Promise.all(
    actors.map(async (actor): Promise<DoctorFinding> => {
      const about = `fediverse account of ${actor.blog.slug}`;
      const { isFine, says } = await checkActor(platen, actor);
      const advice = "Check the proxy, then type: platen doctor";
      return isFine ? okFinding(about, says) : { about, state: "fault", says, advice };
    }),
  );
}

function cacheFindings(platen: Platen): DoctorFinding[] {
  const about = "caches";
  const failure = purgeFailure(platen);
  if (failure)
    return [
      {
        about,
        state: "fault",
        says: `Purges have failed since ${failure.since.toISOString()}: ${failure.why}.`,
        advice: "Check PLATEN_PURGE_URL and PLATEN_PURGE_HEADER; until then purge the CDN by hand.",
      },
    ];
  return platen.config.purge ? [okFinding(about, "No failed purges.")] : [];
}
