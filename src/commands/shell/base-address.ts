import { networkInterfaces } from "node:os";
import { eq } from "drizzle-orm";
import { settings } from "../../database/schema";
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
export function storeBaseAddress({ db, config: { url } }: Platen): void {
  if (storedBaseAddress(db) === url) return;
  db.insert(settings)
    .values({ name: BASE_ADDRESS, value: url })
    .onConflictDoUpdate({ target: settings.name, set: { value: url } })
    .run();
}

/** The base address the folder was last served at; undefined where it never was. */
export function storedBaseAddress(db: Database): string | undefined {
  return db.select().from(settings).where(eq(settings.name, BASE_ADDRESS)).get()?.value;
}

/** The machine's first address that others can reach; its own where it has none. */
function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return reachable?.address ?? "127.0.0.1";
}
