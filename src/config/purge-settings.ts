import { type Given, SettingFault } from "./given";

export interface Purge {
  /** Of http or https. */
  readonly url: string;
  /** By which the other side knows us: a secret. */
  readonly header: { name: string; value: string } | null;
}

/** The header is told nowhere, for its value is a secret. */
export function purgeOf(to: Given, { name, value }: Given): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingFault(`${name} must be a header like "AccessKey: 1234", its name before the colon.`);
  if (to.value === undefined && value !== undefined)
    throw new SettingFault(`${name} is of no use without PLATEN_PURGE_URL.`);
  if (to.value === undefined) return null;
  if (!/^https?:$/.test(URL.parse(to.value)?.protocol ?? ""))
    throw new SettingFault(`${to.name} is "${to.value}"; it must be an address of http or https.`);
  return { url: to.value, header: value === undefined ? null : { name: header, value: text } };
}
