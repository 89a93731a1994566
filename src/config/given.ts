import { MEGABYTE } from "./units";

/** What was given for a setting, by the name of its flag or variable. */
export interface Given {
  name: string;
  value: string | undefined;
}

/** A setting that cannot be used: the program stops with exit 2 and this one line. */
export class SettingFault extends Error {}

export function listOf({ value = "" }: Given): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/** In bytes. */
export function megabytesOf({ name, value }: Given): number | null {
  if (value === undefined) return null;
  if (!/^[1-9]\d{0,6}$/.test(value))
    throw new SettingFault(`${name} is "${value}"; it must be a number of megabytes, like 512.`);
  return Number(value) * MEGABYTE;
}
