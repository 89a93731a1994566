import type { CardFont } from "./card-fonts";
import { FONTS, type Font } from "./fonts";
import { isThemeName, type Theme, themeNamed } from "./theme-list";

/** The first value of each choice is the default. */
export const DESIGN_CHOICES = {
  /** A theme's name selects its fonts. "system" selects the fonts of the reader's device. */
  fonts: ["theme", "serif", "sans", "photo", "mono", "magazine", "journal", "system"],
  size: ["medium", "small", "large"],
  width: ["standard", "narrow", "wide"],
  spacing: ["standard", "close", "airy"],
  corners: ["theme", "square", "round"],
  header: ["theme", "line", "left", "centered"],
  list: ["theme", "excerpts", "titles", "full", "covers"],
  dates: ["long", "medium", "short"],
} as const;

export type DesignChoice = keyof typeof DESIGN_CHOICES;
export const DESIGN_CHOICE_NAMES = Object.keys(DESIGN_CHOICES) as DesignChoice[];

/** Missing choices have their default. */
export interface Design extends Partial<Record<DesignChoice, string>> {
  /** Page color in light mode, "#rrggbb"; empty: the theme's. */
  background?: string;
  /** Links at the bottom of every page, one per line ("About=/about"); empty: archive, search and RSS. */
  footerLinks?: string;
  readingTime?: boolean;
  related?: boolean;
  languageMenu?: boolean;
  /** The home page redirects readers to its posts in their language. */
  languageHome?: boolean;
}

export const DESIGN_SWITCHES = ["readingTime", "related", "languageMenu", "languageHome"] as const;

export const MAX_FOOTER_LINKS_LENGTH = 4000;

/**
 * Absent fields stay absent. Too long footer links are cut to the maximum plus one character, so that
 * validation still rejects them.
 */
export function designFrom(get: (name: string) => string | null | undefined): Design {
  const short = [...DESIGN_CHOICE_NAMES, "background"].map((name) => [name, get(name)?.trim().slice(0, 20)]);
  const footerLinks = get("footerLinks")?.replace(/\r\n?/g, "\n").trim();
  const fields = [...short, ["footerLinks", footerLinks?.slice(0, MAX_FOOTER_LINKS_LENGTH + 1)]];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Forms of a preview leave out empty fields. If the query has a theme, a missing text field is empty. */
export function designInQuery(query: URLSearchParams): Design {
  const isForm = query.has("theme");
  const isText = (name: string) => name === "background" || name === "footerLinks";
  return designFrom((name) => query.get(name) ?? (isForm && isText(name) ? "" : null));
}

export function designErrors(design: Design): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const name of DESIGN_CHOICE_NAMES) {
    const values: readonly string[] = DESIGN_CHOICES[name];
    if (!values.includes(design[name] ?? values[0] ?? ""))
      errors[name] = [`must be one of ${values.join(", ")}`];
  }
  if (!/^(?:#[0-9a-f]{6})?$/i.test(design.background ?? ""))
    errors.background = ["must be a color like #f6f3ec"];
  return errors;
}

export function fontsOf(theme: Theme, { fonts = "theme" }: Design): Font[] {
  if (fonts === "system") return [];
  return isThemeName(fonts) ? themeNamed(fonts).fonts : theme.fonts;
}

export function cardFontOf(theme: Theme, { fonts = "theme" }: Design): CardFont {
  if (fonts === "system") return "inter";
  return isThemeName(fonts) ? themeNamed(fonts).cardFont : theme.cardFont;
}

const SIZE_FACTORS: Record<string, number> = { small: 0.92, large: 1.12 };
const WIDTH_FACTORS: Record<string, number> = { narrow: 0.86, wide: 1.16 };
const DENSITIES: Record<string, number> = { close: 0.85, airy: 1.2 };
const RADII: Record<string, string> = { square: "0", round: "0.6rem" };

export function designCss({ measure, covers }: Theme, design: Design): string {
  const { size = "", width = "", spacing = "", corners = "", background, list } = design;
  const properties = rootCss([
    ...fontProperties(design.fonts),
    ["size-factor", SIZE_FACTORS[size]],
    ["measure", WIDTH_FACTORS[width] && `${(measure * WIDTH_FACTORS[width]).toFixed(2)}rem`],
    ["density", DENSITIES[spacing]],
    ["radius", RADII[corners]],
    ["background", background],
  ]);
  const titles = list === "titles" ? ".posts .p-summary{display:none}" : "";
  const isCover = list === "covers" && !covers;
  return `${properties}${titles}${isCover ? ".cover{aspect-ratio:3/2;margin-bottom:calc(.5*var(--beat))}" : ""}`;
}

type CustomProperty = [name: string, value: string | number | undefined];

/** Leaves out properties without a value. */
export function rootCss(properties: CustomProperty[]): string {
  const set = properties.filter(([, value]) => value !== undefined && value !== "");
  return set.length > 0 ? `:root{${set.map(([name, value]) => `--${name}:${value}`).join(";")}}` : "";
}

export function fontProperties(fonts = "theme"): CustomProperty[] {
  if (fonts === "theme") return [];
  const used = isThemeName(fonts) ? themeNamed(fonts).fonts : [SYSTEM];
  const [heading = SYSTEM, body = heading] = used.map(({ family, generic }) => ({ family, generic }));
  const stack = ({ family, generic }: Pick<Font, "family" | "generic">) =>
    family === "" ? `system-ui,${generic}` : `"${family}",${generic}`;
  return Object.entries({ "font-body": stack(body), "font-heading": stack(heading) });
}

const SYSTEM: Pick<Font, "family" | "generic"> = { family: "", generic: FONTS.hankenGrotesk.generic };
