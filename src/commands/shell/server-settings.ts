import { networkInterfaces } from "node:os";
import { getSetting, saveSetting } from "../../database/instance-settings";
import type { Database, Platen } from "../../platen";

/** Names of rows in the `settings` table. They must not change. */
const BASE_ADDRESS = "base address";
const PRIVATE_HOSTS = "private hosts";
const HAS_RELAY = "relay in the environment";

const ALL_INTERFACES = ["0.0.0.0", "::", ""];

export function isOnAllInterfaces(host: string): boolean {
  return ALL_INTERFACES.includes(host);
}

/** Without a trailing slash. */
export function baseAddress(host: string, port: number): string {
  const name = isOnAllInterfaces(host) ? lanAddress() : host;
  return new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`).origin;
}

/** Stores settings for commands, because their flags and environment may differ from the server's. */
export function storeServerSettings(platen: Platen): void {
  const { url, privateHosts, relay } = platen.config;
  const values = {
    [BASE_ADDRESS]: url,
    [PRIVATE_HOSTS]: privateHosts.join(","),
    [HAS_RELAY]: relay ? "yes" : "no",
  };
  for (const [name, value] of Object.entries(values))
    if (getSetting(platen, name) !== value) saveSetting(platen, name, value);
}

export function storedBaseAddress(db: Database): string | undefined {
  return getSetting({ db }, BASE_ADDRESS);
}

export function storedPrivateHosts(db: Database): string[] | undefined {
  return getSetting({ db }, PRIVATE_HOSTS)?.split(",").filter(Boolean);
}

/** @returns whether the server's environment has a relay; undefined if no server has stored that yet */
export function serverHasRelay(platen: Platen): boolean | undefined {
  const value = getSetting(platen, HAS_RELAY);
  return value === undefined ? undefined : value === "yes";
}

function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return reachable?.address ?? "127.0.0.1";
}
