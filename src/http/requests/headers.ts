import { Refusal } from "../../errors";
import { LONGEST_HEADER } from "../../limits";

export type ReadHeader = keyof typeof LONGEST_HEADER;

/** A header's value; the only way to read one. @throws Refusal (long header) where it is longer than LONGEST_HEADER says */
export function header(request: Request, name: ReadHeader): string | null {
  const value = request.headers.get(name);
  if (value === null || value.length <= LONGEST_HEADER[name]) return value;
  const spelled = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  const fault = `must be at most ${LONGEST_HEADER[name]} characters long`;
  throw new Refusal("long header", `${spelled} ${fault}.`, { [spelled]: [fault] });
}
