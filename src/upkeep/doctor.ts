import { blogById } from "../blogs/blogs";
import { findTheme, folderThemes, THEMES } from "../blogs/folder-themes";
import { DAY, HOUR, MEGABYTE, MINUTE } from "../config/units";
import { findRows } from "../database/rows";
import { blogs } from "../database/schema";
import { listReceivers } from "../deliveries/receivers";
import { checkActor } from "../fediverse/actor-and-webfinger-documents";
import { listActors } from "../fediverse/blog-actors";
import { getRelay } from "../mail/relay-settings";
import { checkRelay } from "../mail/smtp";
import { storeBucket } from "../media/files/media-store";
import { storeStatus } from "../media/moving-media";
import { StoreError } from "../outgoing/bucket";
import type { Platen } from "../platen";
import { freeDiskBytes, totalDiskBytes } from "../runtime/disk-space";
import { byteWords } from "../text/numbers";
import { listWebhooks, type Webhook } from "../webhooks/webhook-urls";
import { lastWriteTime } from "./background-tasks";
import { backupSchedule, readLastBackup } from "./backup/backup-schedule";
import { purgeFailure } from "./cdn-purges";
import { addressFindings, type DoctorFinding, findingsAbout } from "./doctor-address-checks";
import { isMarkedDamaged } from "./recovery/damaged-database";

export async function diagnose(platen: Platen): Promise<DoctorFinding[]> {
  const store = storeFindings(platen);
  const addresses = addressFindings(platen);
  const mail = mailFindings(platen);
  const fediverse = fediverseFindings(platen);
  return [
    databaseFinding(platen),
    diskFinding(platen),
    backupFinding(platen),
    ...themeFindings(platen),
    clockFinding(platen),
    ...(await store),
    ...webhookFindings(platen),
    ...copyFindings(platen),
    ...(await mail),
    ...cacheFindings(platen),
    ...(await addresses),
    ...(await fediverse),
  ];
}

async function storeFindings(platen: Platen): Promise<DoctorFinding[]> {
  const bucket = storeBucket(platen);
  if (!bucket) return [];
  const finding = findingsAbout("media");
  try {
    await bucket.list("media/0");
    const [state = bucket.address] = storeStatus(platen);
    return [finding.ok(`${state.replace(/^media: /, "")}.`)];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const advice =
      "Check that the bucket exists, and that AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and S3_ENDPOINT are set, also in the server's environment.";
    return [finding.error(error.message, advice)];
  }
}

function webhookFindings(platen: Platen): DoctorFinding[] {
  const webhooks = listWebhooks(platen);
  const failing = webhooks.filter((webhook) => webhook.failingSince ?? webhook.disabledAt);
  if (failing.length > 0) return failing.map((webhook) => failingWebhook(platen, webhook));
  return webhooks.length === 0 ? [] : [findingsAbout("webhooks").ok("No failed deliveries.")];
}

function failingWebhook(platen: Platen, webhook: Webhook): DoctorFinding {
  const { url, disabledBecause, disabledAt, failingSince } = webhook;
  const finding = findingsAbout(`webhook of ${blogById(platen, webhook.blogId)?.slug}`);
  if (disabledAt)
    return finding.error(
      `${url} is disabled. ${disabledBecause ?? ""}`.trim(),
      "Repair the receiver, then run: platen webhook enable",
    );
  const message = `${url} has failed since ${failingSince?.toISOString()}.`;
  return finding.warning(message, "See: platen webhook log");
}

function copyFindings(platen: Platen): DoctorFinding[] {
  return ["bluesky", "mastodon"]
    .flatMap((channel) => listReceivers(platen, channel))
    .filter(({ disabledAt }) => disabledAt)
    .map(({ blogId, url, disabledBecause }) =>
      findingsAbout(`copies of ${blogById(platen, blogId as number)?.slug}`).error(
        `${url} gets no more copies. ${disabledBecause}`,
        "Connect the account again in the admin under Reach.",
      ),
    );
}

async function mailFindings(platen: Platen): Promise<DoctorFinding[]> {
  const relay = getRelay(platen);
  if (!relay) return [];
  const [failure, records] = await Promise.all([checkRelay(platen), findMailRecords(relay.from)]);
  const advice = "Check the relay's address, user and password, then run: platen mail test ADDRESS";
  const finding = findingsAbout("mail");
  const login = failure
    ? finding.error(`${relay.host}: ${failure}.`, advice)
    : finding.ok(`${relay.host} accepts the login.`);
  if (records.every(({ exists }) => exists)) return [login, finding.ok("SPF, DKIM and DMARC records exist.")];
  const missing = records.filter(({ exists }) => exists === false);
  const warnings = missing.map(({ name, host }) =>
    finding.warning(
      `No ${name} record was found at ${host}.`,
      `Add the ${name} record that your relay's manual shows; without it, mail may land in spam folders.`,
    ),
  );
  return [login, ...warnings];
}

/** Common selectors, because DNS cannot list the selectors of a domain. */
const SELECTORS = ["default", "dkim", "mail", "s1", "k1", "google", "selector1", "fm1", "pm", "mx", "key1"];
const DNS_TIMEOUT_MS = 3000;

/** `exists` is null if DNS did not answer. */
async function findMailRecords(from: string) {
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const [spf, dmarc, ...keys] = await Promise.all([
    hasText(domain, /^v=spf1\b/i),
    hasText(`_dmarc.${domain}`, /^v=DMARC1\b/i),
    ...SELECTORS.map((selector) => hasText(`${selector}._domainkey.${domain}`, /\bp=[\w+/]/)),
  ]);
  const dkim = keys.some((found) => found === true) || (keys.includes(null) ? null : false);
  return [
    { name: "SPF", exists: spf ?? null, host: domain },
    { name: "DKIM", exists: dkim, host: `…._domainkey.${domain}` },
    { name: "DMARC", exists: dmarc ?? null, host: `_dmarc.${domain}` },
  ];
}

async function hasText(host: string, pattern: RegExp): Promise<boolean | null> {
  const { promises } = await import("node:dns");
  const records = promises
    .resolveTxt(host)
    .then((found) => found.some((parts) => pattern.test(parts.join(""))))
    .catch(({ code }: NodeJS.ErrnoException) => (code === "ENOTFOUND" || code === "ENODATA" ? false : null));
  return await Promise.race([records, Bun.sleep(DNS_TIMEOUT_MS).then(() => null)]);
}

async function fediverseFindings(platen: Platen): Promise<DoctorFinding[]> {
  return await Promise.all(
    listActors(platen).map(async (actor) => {
      const finding = findingsAbout(`fediverse account of ${actor.blog.slug}`);
      const { isFine, message } = await checkActor(platen, actor);
      if (isFine) return finding.ok(message);
      return finding.error(message, "Check the proxy, then run again: platen doctor");
    }),
  );
}

function cacheFindings(platen: Platen): DoctorFinding[] {
  const finding = findingsAbout("caches");
  const failure = purgeFailure(platen);
  if (failure)
    return [
      finding.error(
        `Purges have failed since ${failure.since.toISOString()}: ${failure.why}.`,
        "Check PLATEN_PURGE_URL and PLATEN_PURGE_HEADER; until purges succeed, purge the CDN by hand.",
      ),
    ];
  return platen.config.purge ? [finding.ok("No failed purges.")] : [];
}

const MIN_FREE_BYTES = { error: 100 * MEGABYTE, warning: 1024 * MEGABYTE };
const OLD_BACKUP_MS = 7 * DAY;

function databaseFinding({ config: { data } }: Platen): DoctorFinding {
  const finding = findingsAbout("database");
  if (!isMarkedDamaged(data))
    return finding.ok("The database can be opened. For a full check, run: platen check");
  return finding.error("The database is damaged and read-only.", "Run: platen recover");
}

function diskFinding({ config: { data } }: Platen): DoctorFinding {
  const [free, all] = [freeDiskBytes(data), totalDiskBytes(data)];
  const message = `${byteWords(free)} of ${byteWords(all)} are free on the disk of ${data}.`;
  const finding = findingsAbout("disk");
  if (free >= MIN_FREE_BYTES.warning) return finding.ok(message);
  const advice = "Free some space, or move the folder to a larger disk.";
  return finding[free < MIN_FREE_BYTES.error ? "error" : "warning"](message, advice);
}

function backupFinding(platen: Platen): DoctorFinding {
  const { config, now } = platen;
  const last = readLastBackup(config.data);
  const advice = "Turn on backups in the admin (/admin/backups), or run: platen backup DEST";
  const finding = findingsAbout("backup");
  if (last === null) return finding.warning("No backup has been made yet.", advice);
  const age = now().getTime() - last.at.getTime();
  const hours = age < HOUR ? "less than an hour" : `${Math.floor(age / HOUR)} h`;
  const old = age < 2 * DAY ? hours : `${Math.floor(age / DAY)} days`;
  const message = `The last complete backup is ${old} old, at ${last.place}.`;
  const schedule = backupSchedule(platen);
  if (age <= (schedule ? 2 * schedule.every : OLD_BACKUP_MS)) return finding.ok(message);
  if (!schedule) return finding.warning(message, advice);
  return finding.error(message, "See the reason in the server's log, or run: platen backup DEST");
}

function themeFindings(platen: Platen): DoctorFinding[] {
  const finding = findingsAbout("themes");
  const { themes, errors } = folderThemes(platen);
  const used = findRows(platen, blogs, undefined, { columns: ["slug", "theme"] });
  const missing = used.filter(({ theme }) => !findTheme(platen, theme));
  const found = [
    ...missing.map(({ slug, theme }) =>
      finding.error(
        `The blog ${slug} uses the theme ${theme}, which has errors; readers see the standard theme.`,
        `Repair ${THEMES}/${theme}, or run: platen blog set ${slug} --theme NAME`,
      ),
    ),
    ...errors.map((message) => finding.warning(message, "")),
  ];
  if (found.length > 0) return found;
  return themes.size === 0 ? [] : [finding.ok(`${[...themes.keys()].join(", ")} can be used.`)];
}

const MAX_CLOCK_DIFFERENCE_MS = 5 * MINUTE;

function clockFinding({ config: { data }, now }: Platen): DoctorFinding {
  const finding = findingsAbout("clock");
  const here = `The time is ${now().toISOString()}`;
  const ahead = lastWriteTime(data) - now().getTime();
  if (ahead <= MAX_CLOCK_DIFFERENCE_MS) return finding.ok(`${here}; the database's files are not newer.`);
  return finding.error(
    `${here}, but the database was changed ${Math.ceil(ahead / HOUR)} h after this time.`,
    "Set the clock, and turn on time synchronization: timedatectl set-ntp true",
  );
}
