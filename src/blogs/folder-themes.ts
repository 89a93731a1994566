import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SECOND } from "../config/units";
import type { Platen } from "../platen";
import { parseJsonObject } from "../text/json";
import { cardFontOf, fontProperties, fontsOf, rootCss } from "../themes/design-choices";
import type { Theme, ThemeName } from "../themes/theme-list";
import { isThemeName, STANDARD_THEME, THEME_NAMES, themeNamed } from "../themes/theme-list";
import type { CleanCss } from "./custom-css";

/** A theme is a subfolder NAME with theme.css and, optionally, theme.json. */
export const THEMES = "themes";

const THEME_DELAY_MS = 10 * SECOND;

const MAX_THEMES = 50;
const MAX_FILE_BYTES = 200_000;
const NAME = /^[a-z\d][a-z\d-]{0,29}$/;
/** In rem. On wider pages, browsers would load larger pictures. */
const WIDTHS = { min: 20, max: 120 };
const MAX_DESCRIPTION_LENGTH = 200;

// Loaded on demand, for a fast start.
export const cleanCss = (text: string): CleanCss =>
  (require("./custom-css") as typeof import("./custom-css")).cleanCss(text);

interface FolderThemes {
  themes: Map<string, Theme>;
  errors: string[];
}

interface CachedThemes extends FolderThemes {
  checkedAt: number;
  state: string;
}

const cache = new WeakMap<Platen, CachedThemes>();

/** Changes in the folder show after up to THEME_DELAY_MS. */
export function folderThemes(platen: Platen): FolderThemes {
  const at = platen.now().getTime();
  const cached = cache.get(platen);
  if (cached && at >= cached.checkedAt && at < cached.checkedAt + THEME_DELAY_MS) return cached;
  const folder = join(platen.config.data, THEMES);
  const names = themeFolders(folder);
  const state = stateOf(folder, names);
  const read = cached?.state === state ? cached : readThemes(folder, names);
  if (!platen.isCommand)
    for (const error of read.errors) if (!cached?.errors.includes(error)) platen.log(error);
  cache.set(platen, { ...read, checkedAt: at, state });
  return read;
}

export function themeOf(platen: Platen, { theme }: { theme: string }): Theme {
  return findTheme(platen, theme) ?? themeNamed(STANDARD_THEME);
}

export function findTheme(platen: Platen, name: string): Theme | undefined {
  return isThemeName(name) ? themeNamed(name) : folderThemes(platen).themes.get(name);
}

export function themeNamesOf(platen: Platen): string[] {
  return [...THEME_NAMES, ...folderThemes(platen).themes.keys()];
}

function themeFolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
    return folders.map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

function stateOf(folder: string, names: string[]): string {
  const files = names.flatMap((name) => [join(folder, name, "theme.css"), join(folder, name, "theme.json")]);
  const stats = files.map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return JSON.stringify(files.map((path, at) => [path, stats[at]?.mtimeMs, stats[at]?.size]));
}

function readThemes(folder: string, names: string[]): FolderThemes {
  const themes = new Map<string, Theme>();
  const tooMany = `there may be at most ${MAX_THEMES} themes`;
  const errors = names.slice(MAX_THEMES).map((name) => `${THEMES}/${name} is not used: ${tooMany}.`);
  for (const name of names.slice(0, MAX_THEMES)) {
    try {
      const { theme, warnings } = readTheme(folder, name);
      themes.set(name, theme);
      errors.push(...warnings);
    } catch (error) {
      if (!(error instanceof ThemeError)) throw error;
      errors.push(`${THEMES}/${name} is not used: ${error.message}.`);
    }
  }
  return { themes, errors };
}

class ThemeError extends Error {}

function readTheme(folder: string, name: string): { theme: Theme; warnings: string[] } {
  if (isThemeName(name)) throw new ThemeError("Platen has a theme with this name; rename the folder");
  if (!NAME.test(name)) throw new ThemeError("its name must be at most 30 small letters, digits and hyphens");
  const { css, warnings } = cleanCss(readText(join(folder, name), "theme.css", "theme.css is missing"));
  const file = parseSettings(readText(join(folder, name), "theme.json", null));
  const { extends: baseName = STANDARD_THEME, description = "from the data folder", fonts, ...own } = file;
  const base = themeNamed(baseName);
  const properties = rootCss([
    ...fontProperties(fonts),
    ["accent", own.accent],
    ["wide", own.wide && `${own.wide}rem`],
    ["measure", own.measure && `${own.measure}rem`],
  ]);
  const theme: Theme = {
    ...base,
    ...own,
    description,
    fonts: fontsOf(base, { fonts }),
    cardFont: cardFontOf(base, { fonts }),
    css: base.css + properties + css,
  };
  return { theme, warnings: warnings.map((warning) => `${THEMES}/${name}/theme.css: ${warning}`) };
}

function readText(folder: string, file: string, missing: string | null): string {
  const path = join(folder, file);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found && missing === null) return "";
  if (!found) throw new ThemeError(missing as string);
  // Reading a named pipe would wait for a writer.
  if (!found.isFile()) throw new ThemeError(`${file} is not a file`);
  if (found.size > MAX_FILE_BYTES) throw new ThemeError(`${file} is larger than ${MAX_FILE_BYTES} bytes`);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ThemeError(`${file} cannot be read`);
  }
}

interface ThemeSettings {
  description?: string;
  /** Built-in theme whose CSS comes before the theme's own. */
  extends?: ThemeName;
  /** Built-in theme whose fonts are used, or "system". */
  fonts?: string;
  accent?: string;
  wide?: number;
  measure?: number;
}

const isText = (value: unknown) => typeof value === "string" && value.length <= MAX_DESCRIPTION_LENGTH;
const isBuiltIn = (value: unknown) => typeof value === "string" && isThemeName(value);
const isFonts = (value: unknown) => value === "system" || isBuiltIn(value);
const isColor = (value: unknown) => typeof value === "string" && /^#[\da-f]{6}$/i.test(value);
const isWidth = (value: unknown) => typeof value === "number" && value >= WIDTHS.min && value <= WIDTHS.max;
const WIDTH_RULE = `a number from ${WIDTHS.min} to ${WIDTHS.max} (rem)`;

const RULES: Record<keyof ThemeSettings, [isValid: (value: unknown) => boolean, rule: string]> = {
  description: [isText, `a text of at most ${MAX_DESCRIPTION_LENGTH} characters`],
  extends: [isBuiltIn, `one of ${THEME_NAMES.join(", ")}`],
  fonts: [isFonts, `one of ${THEME_NAMES.join(", ")}, system`],
  accent: [isColor, "a color like #1d6b57"],
  wide: [isWidth, WIDTH_RULE],
  measure: [isWidth, WIDTH_RULE],
};

function parseSettings(text: string): ThemeSettings {
  const file = parseJsonObject(text.trim() || "{}");
  if (!file) throw new ThemeError("theme.json is not a JSON object");
  const names = Object.keys(RULES);
  const unknown = Object.keys(file).find((name) => !names.includes(name));
  if (unknown) throw new ThemeError(`theme.json has "${unknown}"; it may have ${names.join(", ")}`);
  for (const [name, [isValid, rule]] of Object.entries(RULES))
    if (name in file && !isValid(file[name])) throw new ThemeError(`${name} in theme.json must be ${rule}`);
  return file;
}
