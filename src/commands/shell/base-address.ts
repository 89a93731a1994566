import { networkInterfaces } from "node:os";
import { getSetting, saveSetting } from "../../database/instance-settings";
import type { Database, Platen } from "../../platen";

/** The name of the row in `settings`. */
const BASE_ADDRESS = "base address";

const ALL_INTERFACES = ["0.0.0.0", "::", ""];

export function isOnAllInterfaces(host: string): boolean {
  return ALL_INTERFACES.includes(host);
}

/** Where a server that listens on this host and port is reached; without a trailing slash. */
export function baseAddress(host: string, port: number): string {
  const name = isOnAllInterfaces(host) ? lanAddress() : host;
  return new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`).origin;
}

/** For commands that run beside the server: they make the addresses it makes, whatever flags it was given. */
export function storeBaseAddress(platen: Platen): void {
  const { db, config } = platen;
  if (storedBaseAddress(db) !== config.url) saveSetting(platen, BASE_ADDRESS, config.url);
}

/** The base address the folder was last served at; undefined where it never was. */
export function storedBaseAddress(db: Database): string | undefined {
  return getSetting({ db }, BASE_ADDRESS);
}

/** The machine's first address that others can reach; its own where it has none. */
function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return reachable?.address ?? "127.0.0.1";
}
