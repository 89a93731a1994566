import { DAY, HOUR, MEGABYTE } from "../../config/units";
import type { Platen } from "../../platen";
import { freeDiskBytes, totalDiskBytes } from "../../runtime/disk-space";
import { readLastBackup } from "../backup/last-backup";
import { isMarkedDamaged } from "../recovery/damaged-database";
import { type DoctorFinding, okFinding } from "./doctor-finding";

/** Less is a fault, or worth a look; in bytes. */
const LITTLE_ROOM = { fault: 100 * MEGABYTE, look: 1024 * MEGABYTE };
/** A backup older than this is none to count on, where no schedule says otherwise. */
const OLD_BACKUP = 7 * DAY;

/** Of the data folder and its disk; nothing is asked of anybody. */
export function folderFindings(platen: Platen): DoctorFinding[] {
  return [wholeness(platen), room(platen), backups(platen)];
}

function wholeness({ config: { data } }: Platen): DoctorFinding {
  if (!isMarkedDamaged(data)) return okFinding("database", "It opens; platen check reads all of it.");
  return {
    about: "database",
    state: "fault",
    says: "It is damaged, and only read.",
    advice: "Type: platen recover",
  };
}

function room({ config: { data } }: Platen): DoctorFinding {
  const [free, all] = [freeDiskBytes(data), totalDiskBytes(data)];
  const says = `${inWords(free)} of ${inWords(all)} are free where ${data} is.`;
  const state = free < LITTLE_ROOM.fault ? "fault" : free < LITTLE_ROOM.look ? "look" : "fine";
  if (state === "fine") return okFinding("disk", says);
  return { about: "disk", state, says, advice: "Make room, or move the folder to a larger disk." };
}

function backups({ config: { data, backup }, now }: Platen): DoctorFinding {
  const last = readLastBackup(data);
  const advice = "Set PLATEN_BACKUP, or type: platen backup DEST";
  if (last === null) return { about: "backup", state: "look", says: "None is known of.", advice };
  const age = now().getTime() - last.at.getTime();
  const old = age < 2 * DAY ? `${Math.max(0, Math.floor(age / HOUR))} h` : `${Math.floor(age / DAY)} days`;
  const says = `The last one whole is ${old} old, at ${last.place}.`;
  if (age <= (backup ? 2 * backup.every : OLD_BACKUP)) return okFinding("backup", says);
  const why = backup ? "See why in the server's log, or type: platen backup DEST" : advice;
  return { about: "backup", state: backup ? "fault" : "look", says, advice: why };
}

function inWords(bytes: number): string {
  return bytes < 1024 * MEGABYTE
    ? `${Math.floor(bytes / MEGABYTE)} MB`
    : `${(bytes / 1024 / MEGABYTE).toFixed(1)} GB`;
}
