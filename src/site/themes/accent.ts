/** WCAG 2.2, 1.4.3: text against what is behind it. */
const CONTRAST = 4.5;
/** The least bright surface of any theme by day, the brightest by night. */
const DAY_SURFACE = "#efece5";
const NIGHT_SURFACE = "#2a2926";

type Rgb = [number, number, number];

/** The owner's colour for links and buttons: darkened for light pages, lightened for dark ones until it can be read. */
export function accentCss(accent: string): string {
  if (!accent) return "";
  const day = readable(accent, DAY_SURFACE, [0, 0, 0]);
  const night = readable(accent, NIGHT_SURFACE, [255, 255, 255]);
  return `:root{--accent:${day}}@media (prefers-color-scheme:dark){:root{--accent:${night}}}`;
}

/** @param extreme what the colour is mixed with, step by step */
function readable(accent: string, surface: string, extreme: Rgb): string {
  const from = rgbOf(accent);
  for (let percent = 0; percent < 100; percent += 2) {
    const mixed = from.map((part, at) => part + (((extreme[at] as number) - part) * percent) / 100) as Rgb;
    if (contrast(hexOf(mixed), surface) >= CONTRAST) return hexOf(mixed);
  }
  return hexOf(extreme);
}

/** WCAG's contrast ratio of two colours written "#rrggbb", from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = rgbOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(colour: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as Rgb;
}

function hexOf(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
