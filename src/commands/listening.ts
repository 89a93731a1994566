import { networkInterfaces } from "node:os";

const ALL_INTERFACES = ["0.0.0.0", "::", ""];

export function isOnAllInterfaces(host: string): boolean {
  return ALL_INTERFACES.includes(host);
}

/** The address of a server listening on this host and port, without a trailing slash. */
export function baseAddress(host: string, port: number): string {
  const name = isOnAllInterfaces(host) ? lanAddress() : host;
  return new URL(`http://${name.includes(":") ? `[${name}]` : name}:${port}`).origin;
}

/** The machine's first address that others can reach; its own where it has none. */
function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return reachable?.address ?? "127.0.0.1";
}
