import type { Blog } from "../../blogs/blogs";
import { parseMailAddress } from "../../mail/mail-address";
import { hashAddress } from "../../mail/opt-in";
import {
  assertRoom,
  eachSubscriber,
  insertSubscriber,
  subscriberWithHash,
} from "../../newsletter/subscribers";
import type { Platen } from "../../platen";
import { dateOr, dateOrNull, textOrEmpty } from "../import/items/exported-lines";

type Fields = Record<string, unknown>;

/**
 * Former subscribers are exported as hashes, so that a restore does not add them again. Leaves out
 * unconfirmed subscribers.
 */
export function* subscriberRows(platen: Platen, blog: Blog): Generator<object> {
  for (const { address, addressHash, state, language, confirmedAt, leftAt } of eachSubscriber(platen, blog))
    if (state === "left")
      yield { state, sha256: addressHash, language, confirmed_at: confirmedAt, left_at: leftAt };
    else if (state !== "asked") yield { state, address, language, confirmed_at: confirmedAt };
}

/** Hash of the address; null if the line is invalid or the blog already has the address. */
export function newSubscriberIn(platen: Platen, blog: Blog, line: Fields): string | null {
  const address = parseMailAddress(textOrEmpty(line.address));
  const hash = address === null ? textOrEmpty(line.sha256) : hashAddress(address);
  return /^[0-9a-f]{64}$/.test(hash) && !subscriberWithHash(platen, blog, hash) ? hash : null;
}

/**
 * Call this function in a transaction.
 * @returns whether the subscriber was added
 * @throws Refusal (conflict) if the blog has too many subscribers
 */
export function restoreSubscriber(platen: Platen, blog: Blog, line: Fields, at: Date): boolean {
  const addressHash = newSubscriberIn(platen, blog, line);
  if (addressHash === null) return false;
  const language = textOrEmpty(line.language).slice(0, 35) || blog.language;
  const address = parseMailAddress(textOrEmpty(line.address));
  const confirmedAt = dateOrNull(line.confirmed_at);
  if (address === null) {
    const former = { address: null, addressHash, leftAt: dateOr(line.left_at, at) };
    insertSubscriber(platen, blog, "", { state: "left", language, confirmedAt, ...former });
    return true;
  }
  assertRoom(platen, blog);
  const state = line.state === "bounced" ? "bounced" : "confirmed";
  insertSubscriber(platen, blog, address, { state, language, confirmedAt: confirmedAt ?? at });
  return true;
}
