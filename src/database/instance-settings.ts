import { eq } from "drizzle-orm";
import type { Platen } from "../platen";
import { findRowBy } from "./prepared";
import { settings } from "./schema";

const settingWithName = findRowBy(settings, ["name"]);

export function getSetting(platen: Pick<Platen, "db">, name: string): string | undefined {
  return settingWithName(platen, { name })?.value;
}

export function saveSetting({ db }: Platen, name: string, value: string): void {
  db.insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value } })
    .run();
}

export function deleteSetting({ db }: Platen, name: string): void {
  db.delete(settings).where(eq(settings.name, name)).run();
}
