import { photo } from "./photo/photo";
import { sans } from "./sans/sans";
import { serif } from "./serif/serif";

/** How a blog looks; docs/themes.md says how to add one. `sizes` are what the attribute of an `img` holds. */
interface Theme {
  /** Comes after src/site/styles/site.css, which all themes share, and sets its variables. */
  css: string;
  /** "#rrggbb": the CSS's `--accent` by day, for icons and title cards. */
  accent: string;
  /** `sizes` of an image that stands alone in a post; goes with the CSS's `--wide`. */
  imageSizes: string;
  /** Lists show posts by their first image, the first post's with `firstSizes`. null: lists show words. */
  covers: { firstSizes: string; sizes: string } | null;
}

/** In the order in which people are told of them. */
const THEMES = { serif, sans, photo } satisfies Record<string, Theme>;

export type ThemeName = keyof typeof THEMES;

export const THEME_NAMES = Object.keys(THEMES) as ThemeName[];
/** Until its owner chooses another; the default of the column in the database says the same. */
export const STANDARD_THEME: ThemeName = "serif";

export function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(THEMES, name);
}

export function themeNamed(name: ThemeName): Theme {
  return THEMES[name];
}
