import { blogById } from "../../blogs/blogs";
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
  return [
    ...folderFindings(platen),
    await clock,
    ...(await store),
    ...webhookFindings(platen),
    ...cacheFindings(platen),
    ...(await addresses),
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
