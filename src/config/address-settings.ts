import { type Given, listOf, SettingFault } from "./given";
import { isRange } from "./ip-ranges";

export function portOf({ name, value = "4000" }: Given): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new SettingFault(`${name} is "${value}"; it must be a port from 0 to 65535.`);
  return port;
}

export function urlOf({ name, value }: Given): string | null {
  if (value === undefined) return null;
  const url = URL.parse(value);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash;
  if (!isPlain || url.username || url.password)
    throw new SettingFault(
      `${name} is "${value}"; it must be an address like https://blog.example.com, without a path.`,
    );
  return url.origin;
}

export function rangesOf(given: Given): string[] {
  const ranges = listOf(given);
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined)
    throw new SettingFault(
      `${given.name} holds "${wrong}"; it takes addresses and CIDR ranges, between commas.`,
    );
  return ranges;
}

export function isOn({ name, value = "on" }: Given): boolean {
  if (value !== "on" && value !== "off")
    throw new SettingFault(`${name} is "${value}"; it must be on or off.`);
  return value === "on";
}
