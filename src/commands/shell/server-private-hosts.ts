import { getSetting, saveSetting } from "../../database/instance-settings";
import type { Platen } from "../../platen";

/** The name of the row in `settings`. */
const PRIVATE_HOSTS = "private hosts";

/** For commands: what they say of the server must not depend on their own environment. */
export function storePrivateHosts(platen: Platen): void {
  const privateHosts = platen.config.privateHosts.join(",");
  if (getSetting(platen, PRIVATE_HOSTS) !== privateHosts) saveSetting(platen, PRIVATE_HOSTS, privateHosts);
}

/** PLATEN_PRIVATE_HOSTS of the server that last served the folder; the command's own if none has. */
export function privateHostsOfServer(platen: Platen): string[] {
  return getSetting(platen, PRIVATE_HOSTS)?.split(",").filter(Boolean) ?? platen.config.privateHosts;
}
