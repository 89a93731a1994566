/** The first match counts, because a User-Agent also names browsers that it imitates. */
const BROWSERS: [part: string, name: string][] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chromium/", "Chromium"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
];
const SYSTEMS: [part: string, name: string][] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["CrOS", "ChromeOS"],
  ["Mac OS X", "Mac"],
  ["Linux", "Linux"],
];

export function browserName(userAgent: string): string {
  const find = (names: [string, string][]) => names.find(([part]) => userAgent.includes(part))?.[1];
  return [find(BROWSERS), find(SYSTEMS)].filter(Boolean).join(" on ");
}

const MAX_PROGRAM_NAME = 40;

export function programName(userAgent: string): string {
  if (userAgent.startsWith("Mozilla/")) return browserName(userAgent);
  const [name = ""] = userAgent.split(/[/(]/, 1);
  return name.trim().slice(0, MAX_PROGRAM_NAME);
}
