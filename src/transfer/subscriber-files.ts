import type { Blog } from "../blogs/blogs";
import { inSharedTransaction } from "../database/transactions";
import { invalid } from "../errors";
import { parseMailAddress } from "../mail/mail-address";
import type { AddOutcome } from "../newsletter/subscribers";
import { countSubscribers, eachSubscriber, MAX_SUBSCRIBERS, storeConsent } from "../newsletter/subscribers";
import type { Platen } from "../platen";
import { isLanguage } from "../text/language-tags";
import { parseDate } from "./import/items/dates-and-fields";

const MAX_ROWS = 100_000;
const MAX_ROW_LENGTH = 100_000;
const ROWS_PER_COMMIT = 200;
const MAX_LISTED = 20;

export interface SubscriberImport extends Record<AddOutcome, number> {
  /** Marked by the other service as unsubscribed, unconfirmed or bounced. */
  inactive: number;
  /** Rows without an address, and rows beyond the limit. */
  skipped: number;
  errors: string[];
}

/**
 * Adds people as confirmed subscribers, except former subscribers.
 * @throws Refusal (invalid) for `file` if the file is invalid; rows read before the error stay added
 */
export async function importSubscribers(platen: Platen, blog: Blog, bytes: AsyncIterable<Uint8Array>) {
  const report: SubscriberImport = { added: 0, present: 0, left: 0, inactive: 0, skipped: 0, errors: [] };
  let room = MAX_SUBSCRIBERS - countSubscribers(platen, blog, "confirmed");
  let batch: ReturnType<typeof readerIn>[] = [];
  const skip = (line: number, reason: string) => {
    if (++report.skipped <= MAX_LISTED) report.errors.push(`Row ${line}: ${reason}`);
  };
  const store = async () => {
    const readers = batch;
    batch = [];
    const outcomes = await inSharedTransaction(platen, () =>
      readers.map(({ address, ...consent }) => storeConsent(platen, blog, address, consent)),
    );
    for (const outcome of outcomes) report[outcome]++;
    room -= outcomes.filter((outcome) => outcome === "added").length;
  };
  let row = 1;
  try {
    for await (const columns of readRows(bytes)) {
      row++;
      if (row > MAX_ROWS) throw new Error(`The file has more than ${MAX_ROWS} rows.`);
      if (row === 2 && !EMAIL.some((name) => name in columns))
        throw new Error('The file has no column "email". The first row must name the columns.');
      const address = parseMailAddress(first(columns, EMAIL));
      if (address === null) skip(row, "this row has no e-mail address.");
      else if (isInactive(columns)) report.inactive++;
      else if (batch.length >= room) skip(row, `the newsletter has ${MAX_SUBSCRIBERS} subscribers.`);
      else batch.push(readerIn(columns, address, blog));
      if (batch.length === ROWS_PER_COMMIT) await store();
    }
    if (row === 1)
      throw new Error("The file has no row below the first row, which must name the columns, like email.");
  } catch (error) {
    await store();
    const added = report.added > 0 ? ` Added from earlier rows: ${report.added}.` : "";
    throw invalid({ file: [`cannot be read. ${sentenceOf(error as Error)}${added}`.replace(/\.$/, "")] });
  }
  await store();
  return report;
}

/** Parsing the whole file at once would block the event loop. The keys are lower-case column names. */
async function* readRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Record<string, string>> {
  const { parse } = await import("csv-parse");
  const { Readable } = await import("node:stream");
  const parser = parse({
    columns: (names: string[]) => names.map((name) => name.trim().toLowerCase()),
    ...{ bom: true, relax_quotes: true, relax_column_count: true, skip_empty_lines: true },
    max_record_size: MAX_ROW_LENGTH,
  });
  const source = Readable.from(bytes);
  source.on("error", (error) => parser.destroy(error));
  yield* source.pipe(parser);
}

function sentenceOf(error: Error & { code?: string; records?: number }): string {
  return error.code === "CSV_QUOTE_NOT_CLOSED"
    ? `Row ${Number(error.records) + 2} has a quote that is never closed.`
    : error.message;
}

const EMAIL = ["email", "email address", "e-mail", "email_address"];
/** Columns with the time of confirmation, most accurate first. */
const SINCE = `subscribed_at, confirm_time, optin_time, subscription_date, created_at, creation_date,
  start date`.split(/,\s+/);

function readerIn(row: Record<string, string>, address: string, { timeZone }: Blog) {
  const confirmedAt = parseDate(first(row, SINCE), timeZone) ?? undefined;
  const language = first(row, ["language", "locale"]);
  return { address, confirmedAt, language: isLanguage(language) ? language : undefined };
}

function isInactive(row: Record<string, string>): boolean {
  const cell = (name: string) => (row[name] ?? "").trim().toLowerCase();
  return (
    // Substack
    cell("email_disabled") === "true" ||
    // Ghost
    cell("subscribed_to_emails") === "false" ||
    cell("deleted_at") !== "" ||
    // Mailchimp
    cell("unsub_time") !== "" ||
    cell("clean_time") !== "" ||
    // Buttondown, Platen
    ["type", "subscriber_type", "state", "status"].some((name) => INACTIVE.test(cell(name)))
  );
}

const INACTIVE = /unsub|unactiv|unconfirm|remov|undeliver|spam|complain|block|bounce|clean|^asked$|^left$/;

function first(row: Record<string, string>, names: string[]): string {
  return names.map((name) => row[name]?.trim() ?? "").find((cell) => cell !== "") ?? "";
}

/** Leaves out unconfirmed subscribers, and former subscribers, whose addresses are not stored. */
export function* subscriberLines(platen: Platen, blog: Blog): Generator<string> {
  yield "email,state,language,subscribed_at\r\n";
  for (const { address, state, language, confirmedAt, createdAt } of eachSubscriber(platen, blog))
    if (state === "confirmed" || state === "bounced")
      yield `${address},${state},${language},${(confirmedAt ?? createdAt).toISOString()}\r\n`;
}
