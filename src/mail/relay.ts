import { isMailAddress, parseRelayUrl, type Relay } from "../config/mail-settings";
import { deleteSetting, getSetting, saveSetting } from "../database/instance-settings";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import type { Platen } from "../platen";

const SETTING = "mail relay";

/** A relay as an admin types it. */
export interface RelayInput {
  /** `smtp://user@host:587` or `smtps://user@host:465`; empty: no mail. */
  url: string;
  /** null keeps the stored password. */
  password: string | null;
  from: string;
}

/** The relay of the environment, which has precedence, or of the admin; null: this instance sends no mail. */
export function getRelay(platen: Platen): Relay | null {
  return platen.config.relay ?? storedRelay(platen);
}

export function storedRelay(platen: Platen): Relay | null {
  const stored = getSetting(platen, SETTING);
  return stored === undefined ? null : JSON.parse(stored);
}

/** The relay's URL without its password. */
export function relayUrl({ host, port, isSecure, user }: Relay): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${isSecure ? "smtps" : "smtp"}://${user ? `${encodeURIComponent(user)}@` : ""}${name}:${port}`;
}

/** Stores the admin's relay. @throws Refusal (invalid) for `url` or `from` */
export function saveRelay(platen: Platen, { url, password, from }: RelayInput): void {
  if (url.trim() === "") {
    deleteSetting(platen, SETTING);
    return;
  }
  const parsed = parseRelayUrl(url.trim());
  const errors: FieldErrors = {};
  if (typeof parsed === "string") errors.url = [parsed];
  if (!isMailAddress(from.trim())) errors.from = ["must be an e-mail address, such as blog@example.com"];
  assertNoFieldErrors(errors);
  const relay = parsed as Exclude<typeof parsed, string>;
  const kept = storedRelay(platen);
  // A password goes only to the host that it was typed for.
  const isSame = kept?.host === relay.host && kept.user === relay.user;
  const stored = relay.password ?? password ?? (isSame ? kept.password : null);
  saveSetting(platen, SETTING, JSON.stringify({ ...relay, password: stored, from: from.trim() }));
}
