import type { DoctorFinding } from "../upkeep/doctor/address-findings";
import { diagnose } from "../upkeep/doctor/diagnosis";
import { folderCommand } from "./shell/command";
import { EXIT_FAILURE } from "./shell/command-errors";
import { print } from "./shell/printing";
import { json } from "./shell/usage";

const SYMBOLS: Record<DoctorFinding["state"], string> = { ok: "✓", warning: "•", error: "✗" };

export const doctor = folderCommand(
  { help: "check disk, clock, backups, proxy, webhooks; give advice", options: { json } },
  async (platen, { values }) => {
    const findings = await diagnose(platen);
    await print(values.json ? JSON.stringify(findings, null, 2) : findings.map(formatFinding).join("\n"));
    return findings.some(({ state }) => state === "error") ? EXIT_FAILURE : 0;
  },
);

function formatFinding({ about, state, message, advice }: DoctorFinding): string {
  return `${SYMBOLS[state]} ${about}: ${message}${advice && `\n  → ${advice}`}`;
}
