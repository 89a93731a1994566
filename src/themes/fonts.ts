import ebGaramondItalic from "@fontsource-variable/eb-garamond/files/eb-garamond-latin-wght-italic.woff2" with {
  type: "file",
};
import ebGaramond from "@fontsource-variable/eb-garamond/files/eb-garamond-latin-wght-normal.woff2" with {
  type: "file",
};
import fraunces from "@fontsource-variable/fraunces/files/fraunces-latin-wght-normal.woff2" with {
  type: "file",
};
import geistMonoItalic from "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-italic.woff2" with {
  type: "file",
};
import geistMono from "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2" with {
  type: "file",
};
import hankenGroteskItalic from "@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-wght-italic.woff2" with {
  type: "file",
};
import hankenGrotesk from "@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-wght-normal.woff2" with {
  type: "file",
};
import instrumentSans from "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2" with {
  type: "file",
};
import libreFranklin from "@fontsource-variable/libre-franklin/files/libre-franklin-latin-wght-normal.woff2" with {
  type: "file",
};
import literataItalic from "@fontsource-variable/literata/files/literata-latin-wght-italic.woff2" with {
  type: "file",
};
import literata from "@fontsource-variable/literata/files/literata-latin-wght-normal.woff2" with {
  type: "file",
};
import manifest from "../../package.json";

/** A variable font with Latin letters (SIL Open Font License 1.1). */
export interface Font {
  family: string;
  generic: "serif" | "sans-serif" | "monospace";
  weight: string;
  /** The name contains the version, because browsers cache the file for a year. */
  upright: string;
  italic?: string;
}

const FILES = new Map<string, string>();

function font(family: string, generic: Font["generic"], weight: string, upright: string, italic?: string) {
  const base = family.toLowerCase().replaceAll(" ", "-");
  const version = manifest.dependencies[`@fontsource-variable/${base}` as keyof typeof manifest.dependencies];
  const named = (style: string, path: string) => {
    const name = `${base}-${style}-${version}.woff2`;
    FILES.set(name, path);
    return name;
  };
  return {
    family: `${family} Variable`,
    generic,
    weight,
    upright: named("normal", upright),
    italic: italic && named("italic", italic),
  };
}

export const FONTS = {
  ebGaramond: font("EB Garamond", "serif", "400 800", ebGaramond, ebGaramondItalic),
  fraunces: font("Fraunces", "serif", "100 900", fraunces),
  geistMono: font("Geist Mono", "monospace", "100 900", geistMono, geistMonoItalic),
  hankenGrotesk: font("Hanken Grotesk", "sans-serif", "100 900", hankenGrotesk, hankenGroteskItalic),
  instrumentSans: font("Instrument Sans", "sans-serif", "400 700", instrumentSans),
  libreFranklin: font("Libre Franklin", "sans-serif", "100 900", libreFranklin),
  literata: font("Literata", "serif", "200 900", literata, literataItalic),
};

export function fontPath(name: string): string {
  return `/assets/fonts/${name}`;
}

export function fontFile(name: string): string | undefined {
  return FILES.get(name);
}

/**
 * URLs are relative to /assets. With `optional`, a font that arrives late is used only on the next page, so
 * that text never moves.
 */
export function fontFaces(fonts: Font[]): string {
  const face = ({ family, weight }: Font, style: string, file: string) =>
    `@font-face{font-family:"${family}";font-style:${style};font-weight:${weight};font-display:optional;src:url(fonts/${file}) format("woff2")}`;
  const faces = fonts.flatMap((one) => {
    const upright = face(one, "normal", one.upright);
    return one.italic ? [upright, face(one, "italic", one.italic)] : [upright];
  });
  return faces.join("\n");
}
