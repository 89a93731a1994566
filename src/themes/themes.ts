import { photo } from "./photo/photo";
import { sans } from "./sans/sans";
import { serif } from "./serif/serif";

/** A theme. docs/themes.md explains how to add one. `sizes` are values for the `sizes` attribute of an `img`. */
interface Theme {
  /** The theme's stylesheet. Follows the shared src/site/styles/site.css and sets its variables. */
  css: string;
  /** "#rrggbb": the CSS's `--accent` in light mode, for icons and title cards. */
  accent: string;
  /** `sizes` of an image that stands alone in a post. Must match the CSS's `--wide`. */
  imageSizes: string;
  /** If set, lists show posts by their first image; the first post's uses `firstSizes`. null: lists show text. */
  covers: { firstSizes: string; sizes: string } | null;
}

/** In display order. */
const THEMES = { serif, sans, photo } satisfies Record<string, Theme>;

export type ThemeName = keyof typeof THEMES;

export const THEME_NAMES = Object.keys(THEMES) as ThemeName[];
/** Theme of new blogs. The column's default in the database must match. */
export const STANDARD_THEME: ThemeName = "serif";

export function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(THEMES, name);
}

export function themeNamed(name: ThemeName): Theme {
  return THEMES[name];
}
