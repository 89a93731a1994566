import { inTransaction } from "../../database/transactions";
import { malformed, Refusal } from "../../errors";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { startJobOnce } from "../../jobs/jobs";
import { requireRecentPassword } from "../../owner/password-check";
import type { Platen } from "../../platen";
import { type BackupInput, setBackupSchedule } from "../../upkeep/backup/backup-schedule";
import { backupJob, snapshotJob } from "../../upkeep/upkeep-jobs";
import { aboutHead } from "../about/about-styles";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, forAdmins } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { backupsMain, type RejectedSchedule } from "./backups-page";

/** Maximum characters per field. */
const FORM = { do: 10, to: 1000, every: 10, keep: 100, password_again: 1000 };

export const backupsRoutes = (platen: Platen) =>
  adminRouter(platen, "backups")
    .get(
      "/admin/backups",
      forAdmins((visit) => backupsAnswer(visit)),
    )
    .post("/admin/backups", forAdmins(changeBackups), { parse: "none" });

async function backupsAnswer(
  visit: Visit,
  rejected?: RejectedSchedule,
  status?: number,
): Promise<HttpResponse> {
  const main = await backupsMain(visit, rejected);
  return adminResponse(visit, { title: "Backups", place: "backups", head: aboutHead, main, status });
}

async function changeBackups(visit: Visit): Promise<HttpResponse> {
  const form = await readAdminForm(visit, FORM);
  const field = (name: "to" | "every" | "keep") => form.get(name)?.trim() ?? "";
  switch (form.get("do")) {
    case "backup":
      return startJob(visit, backupJob);
    case "snapshot":
      return startJob(visit, snapshotJob);
    case "save":
      return saveSchedule(
        visit,
        { to: field("to"), every: field("every"), keep: field("keep") },
        form.get("password_again"),
      );
    default:
      throw malformed("Choose an action.");
  }
}

/** A saved schedule makes a backup at once, so that its owner sees whether it works. */
async function saveSchedule(
  visit: Visit,
  input: BackupInput,
  password: string | null,
): Promise<HttpResponse> {
  const { platen } = visit.call;
  try {
    await requireRecentPassword(visit.call, visit.account, password);
    inTransaction(platen, () => setBackupSchedule(platen, visit.account, input));
  } catch (fault) {
    if (!(fault instanceof Refusal) || !fault.fields) throw fault;
    return backupsAnswer(visit, { input, faults: fault.fields }, ERROR_STATUS[fault.kind]);
  }
  if (input.to !== "") return startJob(visit, backupJob);
  return redirectWithToast(visit.call, "/admin/backups", { says: "Automatic backups are off." });
}

function startJob({ call, account }: Visit, kind: typeof backupJob): HttpResponse {
  return seeOther(`/admin/jobs/${startJobOnce(call.platen, kind, { blog: null, account, given: {} })}`);
}
