import { UNTIDY } from "../config/request-limits";
import { invalid } from "../errors";
import { cleanText } from "../text/clean-text";

/** In characters, without control characters and space around. */
const LONGEST = 10_000;

/** An upload's caption as it is kept. @throws Refusal (invalid) naming `caption` */
export function checkedCaption(text: string): string {
  const caption = text.length <= UNTIDY * LONGEST ? cleanText(text).trim() : text;
  if (caption.length > LONGEST) throw invalid({ caption: [`must be at most ${LONGEST} characters`] });
  return caption;
}
