import ebGaramond from "@expo-google-fonts/eb-garamond/500Medium/EBGaramond_500Medium.ttf" with {
  type: "file",
};
import fraunces from "@expo-google-fonts/fraunces/500Medium/Fraunces_500Medium.ttf" with { type: "file" };
import geistMono from "@expo-google-fonts/geist-mono/600SemiBold/GeistMono_600SemiBold.ttf" with {
  type: "file",
};
import hankenGrotesk from "@expo-google-fonts/hanken-grotesk/700Bold/HankenGrotesk_700Bold.ttf" with {
  type: "file",
};
import instrumentSans from "@expo-google-fonts/instrument-sans/600SemiBold/InstrumentSans_600SemiBold.ttf" with {
  type: "file",
};
import inter from "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf" with { type: "file" };
import literata from "@expo-google-fonts/literata/500Medium/Literata_500Medium.ttf" with { type: "file" };

/**
 * In a file of their own, because only the decoder loads these, and each would slow down the server's start.
 * Pango cannot read the WOFF2 files of pages. `pango` is family and weight in Pango's notation.
 */
export const CARD_FONTS = {
  ebGaramond: { pango: "EB Garamond Medium", file: ebGaramond },
  fraunces: { pango: "Fraunces Medium", file: fraunces },
  geistMono: { pango: "Geist Mono SemiBold", file: geistMono },
  hankenGrotesk: { pango: "Hanken Grotesk Bold", file: hankenGrotesk },
  instrumentSans: { pango: "Instrument Sans SemiBold", file: instrumentSans },
  /** For text that is not plain Latin, because some other fonts lack Greek or Cyrillic, and for "system". */
  inter: { pango: "Inter Bold", file: inter },
  literata: { pango: "Literata Medium", file: literata },
};

export type CardFont = keyof typeof CARD_FONTS;
