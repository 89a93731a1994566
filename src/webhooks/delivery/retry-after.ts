import { DAY, SECOND } from "../../config/units";
import type { HttpResponse } from "../../outgoing/http-client";

/** The statuses of answers whose `Retry-After` is heeded. */
const HEEDED_STATUSES = [429, 503];
/** In milliseconds. */
const LONGEST_HEEDED = DAY;

/** The wait that an answer asks for, in milliseconds: a number of seconds, or a date (RFC 9110, 10.2.3). */
export function retryAfterOf({ answered, headers }: HttpResponse, at: Date): number {
  const asked = headers["retry-after"]?.trim();
  if (!asked || !HEEDED_STATUSES.includes(answered)) return 0;
  const wait = /^\d+$/.test(asked) ? Number(asked) * SECOND : Date.parse(asked) - at.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), LONGEST_HEEDED);
}
