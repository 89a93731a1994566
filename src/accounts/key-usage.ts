import { and, eq, isNull, lt, or } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { keepDataVersion } from "../database/data-version";
import { keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";

/** Where a key was used, as coarsely as it is kept. */
export interface KeyOrigin {
  /** "203.0.113.*" */
  from: string;
  /** The program, as it calls itself. */
  by: string;
}

interface Use {
  at: Date;
  /** Null: not known this time. */
  origin: KeyOrigin | null;
}

interface Uses {
  /** key id → its last use that was noted, written or not. */
  noted: Map<number, Use>;
  /** Keys whose use is not written yet. */
  unwritten: Set<number>;
}

const uses = new WeakMap<Platen, Uses>();

/**
 * A key is used: noted once a minute at most, and only in memory. `saveKeyUses` writes, so that no request waits for that.
 * @param origin asked only where it is noted
 */
export function recordKeyUse(platen: Platen, keyId: number, origin: () => KeyOrigin | null): void {
  let all = uses.get(platen);
  if (!all) {
    all = { noted: new Map(), unwritten: new Set() };
    uses.set(platen, all);
  }
  const at = platen.now();
  const last = all.noted.get(keyId);
  if (last && Math.abs(at.getTime() - last.at.getTime()) < MINUTE) return;
  all.noted.set(keyId, { at, origin: origin() ?? last?.origin ?? null });
  all.unwritten.add(keyId);
}

/** Writes what was noted. What is not written when the power goes is lost. */
export function saveKeyUses(platen: Platen): void {
  const all = uses.get(platen);
  if (!all || all.unwritten.size === 0) return;
  const write = () => {
    for (const keyId of all.unwritten) keepUse(platen, keyId, all.noted.get(keyId) as Use);
  };
  keepDataVersion(platen, () => inTransaction(platen, write));
  all.unwritten.clear();
}

function keepUse({ db }: Platen, keyId: number, { at, origin }: Use): void {
  db.update(keys)
    .set({ lastUsedAt: at, ...(origin && { lastUsedFrom: origin.from, lastUsedBy: origin.by }) })
    .where(and(eq(keys.id, keyId), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, at))))
    .run();
}
