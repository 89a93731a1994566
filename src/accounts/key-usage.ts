import { and, eq, isNull, lt, or } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { keys } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";

/** Approximate origin of a request. */
export interface KeyOrigin {
  /** "203.0.113.*" */
  from: string;
  /** Program name from User-Agent. */
  by: string;
}

interface Use {
  at: Date;
  /** null if this request's origin was not captured. */
  origin: KeyOrigin | null;
}

interface Uses {
  /** key id → last recorded use, written or not. */
  noted: Map<number, Use>;
  unwritten: Set<number>;
}

const uses = new WeakMap<Platen, Uses>();

/**
 * Records a use in memory, at most once a minute. `saveKeyUses` writes it, so that requests do not wait.
 * @param origin called only if the use is recorded
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

/** Writes recorded uses. A power cut loses unwritten ones. */
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
