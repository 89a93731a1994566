import type { Platen } from "../platen";
import { findRowBy } from "./prepared";
import { deleteRows } from "./rows";
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

export function deleteSetting(platen: Platen, name: string): void {
  deleteRows(platen, settings, { name });
}
