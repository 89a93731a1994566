import { eq } from "drizzle-orm";
import type { Platen } from "../../platen";
import { rowWith } from "../prepared";
import { settings } from "../schema";

const withName = rowWith(settings, ["name"]);

/** What the instance keeps under a name; undefined where there is nothing. */
export function keptSetting(platen: Pick<Platen, "db">, name: string): string | undefined {
  return withName(platen, { name })?.value;
}

/** In the place of what was kept before. */
export function keepSetting({ db }: Platen, name: string, value: string): void {
  db.insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value } })
    .run();
}

export function forgetSetting({ db }: Platen, name: string): void {
  db.delete(settings).where(eq(settings.name, name)).run();
}
