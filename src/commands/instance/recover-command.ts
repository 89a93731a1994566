import { join } from "node:path";
import { readSettings } from "../../config";
import { lockForServing } from "../../database/folder-locks";
import {
  damageInFile,
  type Loss,
  lossBySnapshot,
  putSnapshotInPlace,
  snapshotTime,
} from "../../upkeep/copies/recovery";
import { snapshotFile } from "../../upkeep/copies/snapshot-file";
import { takeDamageMark } from "../../upkeep/copies/wholeness";
import { command } from "../shell/command";
import { CommandFault, UsageFault } from "../shell/command-faults";
import { demandDatabase } from "../shell/file-faults";
import { counted, print } from "../shell/printing";

/** For a database that is torn or damaged. Says what is lost before it does anything. */
export default command(
  {
    does: "put snapshot.db in the place of a damaged database, whose files are kept",
    options: { yes: { type: "boolean", does: "do it; without this it only says what the snapshot lacks" } },
  },
  async ({ values }) => {
    const { data } = readSettings({ data: values.data }, process.env);
    demandDatabase(data);
    lockForServing(data);
    const damage = damageInFile(join(data, "platen.db"));
    if (damage === null) {
      takeDamageMark(data);
      await print("The database is whole; there is nothing to recover.");
      return 0;
    }
    const madeAt = snapshotTime(data);
    const offer = madeAt && damageInFile(snapshotFile(data)) === null;
    if (!offer)
      throw new CommandFault(
        `The database is damaged (${damage}), and there is no whole snapshot.db beside it. Put a copy of the folder in its place.`,
      );
    const loss = `The database is damaged (${damage}). The snapshot of ${timeOf(madeAt)} ${inNumbers(lossBySnapshot(data))}`;
    const folder = values.data === undefined ? "" : ` --data ${values.data}`;
    if (!values.yes) throw new UsageFault(loss, `platen recover --yes${folder}`);
    await print(`${loss}.`);
    await print(`It is in place now; the damaged files are in ${putSnapshotInPlace(data, new Date())}`);
    await print(`Which uploads are not in it says: platen check${folder}`);
    return 0;
  },
);

/** "2026-11-21 03:00 UTC" */
function timeOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function inNumbers({ posts, changedPosts, komments, messages, uploads }: Loss): string {
  const number = (count: number | null, noun: string) =>
    count === null ? `an unknown number of ${noun}s` : counted(count, noun);
  const lacking = [
    number(posts, "post"),
    number(komments, "komment"),
    number(messages, "message"),
    number(uploads, "upload"),
  ];
  return `lacks ${lacking.join(", ")}, and what was changed since in ${number(changedPosts, "post")}`;
}
