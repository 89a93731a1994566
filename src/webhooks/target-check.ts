import { isIP } from "node:net";
import { accountById } from "../accounts/accounts";
import type { Blog } from "../blogs/blogs";
import {
  allowedAddresses,
  allowedHosts,
  hostOf,
  NO_PRIVATE_HOSTS,
  systemResolve,
} from "../outgoing/address-guard";
import type { Platen } from "../platen";

/** Short, because the check only warns. */
const LOOKUP_TIMEOUT_MS = 2000;

/**
 * For a warning only: each delivery checks again when it connects.
 * @returns URL → reason, worded to follow a colon
 */
export async function findRefusedTargets(platen: Platen, blog: Blog, urls: string[]) {
  const allowed = accountById(platen, blog.accountId)?.isAdmin
    ? allowedHosts(platen.config)
    : NO_PRIVATE_HOSTS;
  const found = await Promise.all(
    urls.map(async (url): Promise<[string, string][]> => {
      const lookedUp = allowedAddresses(new URL(url), allowed, systemResolve);
      const outcome = await Promise.race([lookedUp, Bun.sleep(LOOKUP_TIMEOUT_MS).then(() => null)]);
      return outcome && "failed" in outcome && outcome.kind === "refused" ? [[url, outcome.failed]] : [];
    }),
  );
  return new Map(found.flat());
}

/** Checks only URLs with an IP address as host, which need no DNS lookup. */
export function findRefusedIpTargets(platen: Platen, blog: Blog, urls: string[]) {
  const plain = urls.filter((url) => isIP(hostOf(new URL(url))));
  return findRefusedTargets(platen, blog, plain);
}
