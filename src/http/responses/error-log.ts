import { type Call, requestCounts } from "../requests/call";

/** Logs the route or a redacted path, not the URL: paths may contain share links, and queries tokens. */
export function logError({ platen, request, url }: Call, route: string | undefined, error: unknown): void {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // Most public pages share the route "/*".
  const address = route === "/*" ? redactPath(url.pathname) : route;
  requestCounts(platen).errors++;
  platen.log(`${request.method} ${address} failed: ${details}`);
}

const BEFORE_SECRET = /\/(share|join|komments)[^a-z0-9-]/i;
const PLAIN_PATH = /^[a-z0-9@/.-]+$/;

/**
 * Hides secrets in links to shared posts, invitations and komments. Paths with unusual characters are hidden
 * completely.
 */
function redactPath(path: string): string {
  const [, word] = BEFORE_SECRET.exec(path.replace(/%[0-7][\da-f]/gi, decodeURIComponent)) ?? [];
  if (word !== undefined) return `/${word.toLowerCase()}/…`;
  return PLAIN_PATH.test(path) ? path : "/…";
}
