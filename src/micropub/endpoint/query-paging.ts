import { malformed } from "../../errors";

const STANDARD_LIMIT = 20;
const HIGHEST_LIMIT = 100;
const HIGHEST_OFFSET = 1_000_000_000;

/** `limit` and `offset` of a list query. @param standard how many without a limit @throws Refusal (malformed) */
export function pageIn(
  params: URLSearchParams,
  standard = STANDARD_LIMIT,
): { limit: number; offset: number } {
  const limit = whole(params, "limit", standard);
  if (params.get("limit") && limit < 1) throw malformed("limit must be at least 1.");
  return {
    limit: Math.min(limit, Math.max(standard, HIGHEST_LIMIT)),
    offset: Math.min(whole(params, "offset", 0), HIGHEST_OFFSET),
  };
}

function whole(params: URLSearchParams, name: string, standard: number): number {
  const text = params.get(name);
  if (text === null || text === "") return standard;
  if (!/^\d{1,15}$/.test(text)) throw malformed(`${name} must be a whole number.`);
  return Number(text);
}
