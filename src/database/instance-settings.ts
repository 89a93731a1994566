import type { Platen } from "../platen";
import { deleteRows, findRowBy, upsertRow } from "./rows";
import { settings } from "./schema";

const settingWithName = findRowBy(settings, ["name"]);

export function getSetting(platen: Pick<Platen, "db">, name: string): string | undefined {
  return settingWithName(platen, { name })?.value;
}

export function saveSetting(platen: Platen, name: string, value: string): void {
  upsertRow(platen, settings, { name, value }, ["name"]);
}

export function deleteSetting(platen: Platen, name: string): void {
  deleteRows(platen, settings, { name });
}
