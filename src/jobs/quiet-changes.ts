import { keepingDataVersion } from "../database/data-version";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";

/** No page that readers see says anything of jobs: none in memory grows old by them. */
export function changeQuietly(platen: Platen, change: () => void): void {
  keepingDataVersion(platen, () => inTransaction(platen, change));
}
