import { eq } from "drizzle-orm";
import type { Platen } from "../platen";
import { findRowBy } from "./prepared";
import { settings } from "./schema";

const withName = findRowBy(settings, ["name"]);

/** What the instance keeps under a name; undefined where there is nothing. */
export function getSetting(platen: Pick<Platen, "db">, name: string): string | undefined {
  return withName(platen, { name })?.value;
}

/** In the place of what was kept before. */
export function saveSetting({ db }: Platen, name: string, value: string): void {
  db.insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value } })
    .run();
}

export function deleteSetting({ db }: Platen, name: string): void {
  db.delete(settings).where(eq(settings.name, name)).run();
}
