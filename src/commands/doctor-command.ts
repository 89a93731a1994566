import { diagnose } from "../upkeep/doctor/diagnosis";
import type { DoctorFinding } from "../upkeep/doctor/doctor-finding";
import { command } from "./shell/command";
import { EXIT_FAILURE } from "./shell/command-errors";
import { json } from "./shell/common-options";
import { withPlaten } from "./shell/data-folder";
import { print } from "./shell/printing";

const SIGNS: Record<DoctorFinding["state"], string> = { fine: "✓", look: "•", fault: "✗" };

/** Exits with 1 if any finding is an error. */
export const doctor = command(
  { help: "check disk, clock, backups, proxy, webhooks; give advice", options: { json } },
  async ({ values }) => {
    const findings = await withPlaten(values.data, diagnose);
    await print(values.json ? JSON.stringify(findings, null, 2) : findings.map(formatFinding).join("\n"));
    return findings.some(({ state }) => state === "fault") ? EXIT_FAILURE : 0;
  },
);

function formatFinding({ about, state, says, advice }: DoctorFinding): string {
  return `${SIGNS[state]} ${about}: ${says}${advice && `\n  → ${advice}`}`;
}
