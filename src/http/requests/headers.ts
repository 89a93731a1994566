import { MAX_HEADER_LENGTHS, MAX_LANGUAGES_LENGTH, MAX_REFERER_LENGTH } from "../../config/request-limits";
import { Refusal } from "../../errors";

export type ReadHeader = keyof typeof MAX_HEADER_LENGTHS;

/** A header's value; the only way to read one. @throws Refusal (long header) where it is longer than MAX_HEADER_LENGTHS says */
export function readHeader(request: Request, name: ReadHeader): string | null {
  const value = request.headers.get(name);
  if (value === null || value.length <= MAX_HEADER_LENGTHS[name]) return value;
  const spelled = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const fault = `must be at most ${MAX_HEADER_LENGTHS[name]} characters long`;
  throw new Refusal("long header", `${spelled} ${fault}.`, { [spelled]: [fault] });
}

/** Several Host headers arrive as one, with commas between them. */
export function hasSeveralHosts(request: Request): boolean {
  return request.headers.get("host")?.includes(",") === true;
}

/** Where a reader comes from, which is only nice to know: null where it is not told, or too long. */
export function readReferer(request: Request): string | null {
  const value = request.headers.get("referer");
  return value !== null && value.length <= MAX_REFERER_LENGTH ? value : null;
}

/** The language that a browser prefers, as it tells it; "" where it tells none, or is longer about it than anybody. */
export function preferredLanguage(request: Request): string {
  const value = request.headers.get("accept-language") ?? "";
  return value.length <= MAX_LANGUAGES_LENGTH ? (value.split(/[,;]/, 1)[0] ?? "") : "";
}

/** May a cookie of this name be sent? One look, for what is asked with every page; a Cookie that is too long counts as none. */
export function mayHaveCookie(request: Request, name: string): boolean {
  const value = request.headers.get("cookie");
  return value !== null && value.length <= MAX_HEADER_LENGTHS.cookie && value.includes(`${name}=`);
}

/** A script of ours asks for JSON alone; browsers ask for pages by a list. */
export function wantsJson(request: Request): boolean {
  return request.headers.get("accept") === "application/json";
}
