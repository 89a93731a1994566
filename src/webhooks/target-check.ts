import { isIP } from "node:net";
import { accountById } from "../accounts/accounts";
import type { Blog } from "../blogs/blogs";
import {
  allowedAddresses,
  allowedHosts,
  hostOf,
  NO_PRIVATE_HOSTS,
  type Resolve,
  systemResolve,
} from "../outgoing/address-guard";
import type { Platen } from "../platen";

/** In milliseconds: a warning is not worth more of the time of whoever saves. */
const LOOKED_UP_WITHIN = 2000;

/**
 * Which of these addresses nothing will be sent to, as the settings are now, and why, to follow a colon. That is for
 * whoever types them: what decides is the address that is connected to when there is something to send.
 */
export async function findRefusedTargets(
  platen: Platen,
  blog: Blog,
  urls: string[],
  resolve: Resolve = systemResolve,
): Promise<Map<string, string>> {
  const allowed = accountById(platen, blog.accountId)?.isAdmin
    ? allowedHosts(platen.config)
    : NO_PRIVATE_HOSTS;
  const found = await Promise.all(
    urls.map(async (url): Promise<[string, string][]> => {
      const lookedUp = allowedAddresses(new URL(url), allowed, resolve);
      const outcome = await Promise.race([lookedUp, Bun.sleep(LOOKED_UP_WITHIN).then(() => null)]);
      return outcome && "failed" in outcome && outcome.kind === "refused" ? [[url, outcome.failed]] : [];
    }),
  );
  return new Map(found.flat());
}

/** The same of those that say it themselves, by an address in the place of a name: nobody is asked. */
export function findRefusedIpTargets(
  platen: Platen,
  blog: Blog,
  urls: string[],
): Promise<Map<string, string>> {
  const plain = urls.filter((url) => isIP(hostOf(new URL(url))));
  return findRefusedTargets(platen, blog, plain);
}
