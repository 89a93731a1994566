import type { CardFont } from "./card-fonts";
import { FONTS, type Font } from "./fonts";
import journal from "./journal.css" with { type: "text" };
import magazine from "./magazine.css" with { type: "text" };
import mono from "./mono.css" with { type: "text" };
import photo from "./photo.css" with { type: "text" };
import sans from "./sans.css" with { type: "text" };
import serif from "./serif.css" with { type: "text" };

export interface Theme {
  description: string;
  /** CSS that follows src/site/styles/base.css and sets its variables. */
  css: string;
  /** The upright files are preloaded, because every page needs them at once. */
  fonts: Font[];
  /** Also preloads italics, for titles or dates at the top of pages. */
  hasItalicsAtTop?: boolean;
  /** For icons and title cards ("#rrggbb"); in built-in themes, the value of `--accent` in the CSS. */
  accent: string;
  /** Background of title cards ("#rrggbb"); in built-in themes, the value of `--background` in the CSS. */
  paper: string;
  cardFont: CardFont;
  /** Widths of wide pictures and of text in the CSS, in rem. */
  wide: number;
  measure: number;
  /**
   * If set, lists show preview images; null: they show text. `sizes` and, for the first post, `firstSizes`
   * are values of the `sizes` attribute. With `hasSummaries`, titled posts have their summary below the
   * image.
   */
  covers: { firstSizes: string; sizes: string; hasSummaries: boolean } | null;
  hasSections?: boolean;
}

/** In the order of the theme picker. */
const THEMES = {
  serif: {
    description: "a well-made book: centered titles, indented paragraphs",
    css: serif,
    fonts: [FONTS.literata],
    hasItalicsAtTop: true,
    accent: "#93401a",
    paper: "#fbf8f2",
    cardFont: "literata",
    wide: 46,
    measure: 33,
    covers: null,
  },
  sans: {
    description: "a working notebook: everything on one left edge",
    css: sans,
    fonts: [FONTS.hankenGrotesk],
    accent: "#1657d0",
    paper: "#ffffff",
    cardFont: "hankenGrotesk",
    wide: 50,
    measure: 35,
    covers: null,
  },
  photo: {
    description: "a quiet wall: pictures in rows, titles as captions",
    css: photo,
    fonts: [FONTS.instrumentSans],
    accent: "#8d2f4b",
    paper: "#fafaf9",
    cardFont: "instrumentSans",
    wide: 76,
    measure: 33,
    covers: {
      firstSizes: "100vw",
      sizes: "(min-width: 64rem) 40vw, (min-width: 44rem) 50vw, 100vw",
      hasSummaries: false,
    },
  },
  mono: {
    description: "a typescript: one size and one width of letter",
    css: mono,
    fonts: [FONTS.geistMono],
    accent: "#b3390c",
    paper: "#f7f6f2",
    cardFont: "geistMono",
    wide: 54,
    measure: 41,
    covers: null,
  },
  magazine: {
    description: "a front page: a lead story, covers and sections",
    css: magazine,
    fonts: [FONTS.fraunces, FONTS.libreFranklin],
    accent: "#c0311e",
    paper: "#ffffff",
    cardFont: "fraunces",
    wide: 58,
    measure: 35,
    covers: {
      firstSizes: "(min-width: 60rem) 46rem, 100vw",
      sizes: "(min-width: 60rem) 23rem, (min-width: 40rem) 50vw, 100vw",
      hasSummaries: true,
    },
    hasSections: true,
  },
  journal: {
    description: "a diary: dates in the margin, footnotes as side notes",
    css: journal,
    fonts: [FONTS.ebGaramond],
    hasItalicsAtTop: true,
    accent: "#2a4f8f",
    paper: "#f6f3ec",
    cardFont: "ebGaramond",
    wide: 29,
    measure: 29,
    covers: null,
  },
} satisfies Record<string, Theme>;

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
