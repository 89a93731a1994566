import { type Setting, SettingError } from "./setting-parsers";

export interface Purge {
  readonly url: string;
  /** The value is a secret. */
  readonly header: { name: string; value: string } | null;
}

/** Errors do not show the header, because its value is a secret. */
export function parsePurge(to: Setting, { name, value }: Setting): Purge | null {
  const [, header = "", text = ""] = /^([\w-]{1,100}): ?([\x20-\x7e]{1,4000})$/.exec(value ?? "") ?? [];
  if (value !== undefined && header === "")
    throw new SettingError(`${name} must be a header like "AccessKey: 1234".`);
  if (to.value === undefined && value !== undefined)
    throw new SettingError(`${name} has no effect without PLATEN_PURGE_URL.`);
  if (to.value === undefined) return null;
  if (!/^https?:$/.test(URL.parse(to.value)?.protocol ?? ""))
    throw new SettingError(`${to.name} is "${to.value}"; it must be an http or https URL.`);
  return { url: to.value, header: value === undefined ? null : { name: header, value: text } };
}
