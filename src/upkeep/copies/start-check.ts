import { statSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../../config/units";
import { damageIn } from "../../database/whole-copy";
import type { Platen } from "../../platen";
import { closeToWriting, takeDamageMark } from "./damaged-database";
import { startCommand } from "./own-commands";

/** A database of so many bytes, log included, is read through in a fraction of a second. */
const SMALL = 32 * MEGABYTE;

interface StartCheck {
  /** Once it is known whether the database is whole. */
  settled: Promise<void>;
  /** Known to be whole. */
  isWhole(): boolean;
  end(): Promise<void>;
}

/**
 * Looks for damage, in a process of its own where the database is large; closes a damaged one to writing.
 * @param onDamage what else is to end then
 */
export function startCheck(platen: Platen, onDamage: () => void, small = SMALL): StartCheck {
  let isWhole = false;
  const found = (damage: string | null) => {
    isWhole = damage === null;
    takeDamageMark(platen.config.data);
    if (damage === null) return;
    closeToWriting(platen, damage);
    onDamage();
  };
  if (bytesOf(platen) <= small) {
    found(damageIn(platen.db.$client));
    return { settled: Promise.resolve(), isWhole: () => isWhole, end: async () => {} };
  }
  let isEnding = false;
  const { ended, end } = startCommand(platen, ["check", "--quick"]);
  const settled = ended.then(({ code, said }) => {
    if (isEnding) return;
    if (code === 0) found(null);
    else if (code === 1) found(said.replace(/\s+/g, " "));
    else platen.log(`The database could not be checked; type: platen check. ${said}`);
  });
  return {
    settled,
    isWhole: () => isWhole,
    async end() {
      isEnding = true;
      end();
      await settled;
    },
  };
}

function bytesOf(platen: Platen): number {
  return ["platen.db", "platen.db-wal"]
    .map((name) => statSync(join(platen.config.data, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}
