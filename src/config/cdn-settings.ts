import { parseSetting, type Setting, SettingError } from "./setting-parsers";

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
  const isHttp = (url: string) => /^https?:$/.test(URL.parse(url)?.protocol ?? "");
  const url = parseSetting(to, "an http or https URL", (typed) => (isHttp(typed) ? typed : null));
  if (url === null && value !== undefined)
    throw new SettingError(`${name} has no effect without PLATEN_PURGE_URL.`);
  return url === null ? null : { url, header: value === undefined ? null : { name: header, value: text } };
}
