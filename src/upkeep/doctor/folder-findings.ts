import { findTheme, folderThemes, THEMES } from "../../blogs/appearance/folder-themes";
import { DAY, HOUR, MEGABYTE } from "../../config/units";
import { blogs } from "../../database/schema";
import type { Platen } from "../../platen";
import { freeDiskBytes, totalDiskBytes } from "../../runtime/disk-space";
import { readLastBackup } from "../backup/last-backup";
import { isMarkedDamaged } from "../recovery/damaged-database";
import { type DoctorFinding, okFinding } from "./doctor-finding";

const MIN_FREE_BYTES = { fault: 100 * MEGABYTE, look: 1024 * MEGABYTE };
/** Maximum age of the last backup without a schedule. An older one is reported. */
const OLD_BACKUP_MS = 7 * DAY;

/** Checks the data folder and its disk. Sends no requests. */
export function folderFindings(platen: Platen): DoctorFinding[] {
  return [databaseFinding(platen), diskFinding(platen), backupFinding(platen), ...themeFindings(platen)];
}

function databaseFinding({ config: { data } }: Platen): DoctorFinding {
  if (!isMarkedDamaged(data))
    return okFinding("database", "It can be opened. For a full check, type: platen check");
  return {
    about: "database",
    state: "fault",
    says: "It is damaged and read-only.",
    advice: "Type: platen recover",
  };
}

function diskFinding({ config: { data } }: Platen): DoctorFinding {
  const [free, all] = [freeDiskBytes(data), totalDiskBytes(data)];
  const says = `${formatBytes(free)} of ${formatBytes(all)} are free on the disk of ${data}.`;
  const state = free < MIN_FREE_BYTES.fault ? "fault" : free < MIN_FREE_BYTES.look ? "look" : "fine";
  if (state === "fine") return okFinding("disk", says);
  return { about: "disk", state, says, advice: "Free some space, or move the folder to a larger disk." };
}

function backupFinding({ config: { data, backup }, now }: Platen): DoctorFinding {
  const last = readLastBackup(data);
  const advice = "Turn on backups in the admin (/admin/backups), or type: platen backup DEST";
  if (last === null) return { about: "backup", state: "look", says: "No backup was made yet.", advice };
  const age = now().getTime() - last.at.getTime();
  const old = age < 2 * DAY ? `${Math.max(0, Math.floor(age / HOUR))} h` : `${Math.floor(age / DAY)} days`;
  const says = `The last complete backup is ${old} old, at ${last.place}.`;
  if (age <= (backup ? 2 * backup.every : OLD_BACKUP_MS)) return okFinding("backup", says);
  const why = backup ? "See why in the server's log, or type: platen backup DEST" : advice;
  return { about: "backup", state: backup ? "fault" : "look", says, advice: why };
}

/** Findings about the data folder's themes; none without themes. */
function themeFindings(platen: Platen): DoctorFinding[] {
  const about = "themes";
  const { themes, faults } = folderThemes(platen);
  const used = platen.db.select({ slug: blogs.slug, theme: blogs.theme }).from(blogs).all();
  const missing = used.filter(({ theme }) => !findTheme(platen, theme));
  const found: DoctorFinding[] = [
    ...missing.map(({ slug, theme }): DoctorFinding => {
      const says = `The blog ${slug} uses the theme ${theme}, which cannot be used; readers see the standard theme.`;
      return {
        about,
        state: "fault",
        says,
        advice: `Repair ${THEMES}/${theme}, or type: platen blog set ${slug} --theme NAME`,
      };
    }),
    ...faults.map((says): DoctorFinding => ({ about, state: "look", says, advice: "" })),
  ];
  if (found.length > 0) return found;
  return themes.size === 0 ? [] : [okFinding(about, `${[...themes.keys()].join(", ")} can be used.`)];
}

function formatBytes(bytes: number): string {
  return bytes < 1024 * MEGABYTE
    ? `${Math.floor(bytes / MEGABYTE)} MB`
    : `${(bytes / 1024 / MEGABYTE).toFixed(1)} GB`;
}
