import { type Given, SettingFault } from "./given";

const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** In characters: no guessing. */
const SHORTEST_TOKEN = 16;

export function logOf({ name, value = "text" }: Given): LogFormat {
  const format = LOG_FORMATS.find((one) => one === value);
  if (!format) throw new SettingFault(`${name} is "${value}"; it must be ${LOG_FORMATS.join(" or ")}.`);
  return format;
}

/** Its value is a secret, and told nowhere. */
export function tokenOf({ name, value }: Given): string | null {
  if (value !== undefined && value.length < SHORTEST_TOKEN)
    throw new SettingFault(`${name} is too short to be a secret; it must have ${SHORTEST_TOKEN} characters.`);
  return value ?? null;
}
