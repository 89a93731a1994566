import { diagnose } from "../upkeep/doctor";
import type { DoctorFinding } from "../upkeep/doctor-address-checks";
import { folderCommand } from "./shell/command";
import { EXIT_FAILURE } from "./shell/command-errors";
import { print } from "./shell/terminal";
import { json } from "./shell/usage";

const SYMBOLS: Record<DoctorFinding["state"], string> = { ok: "✓", warning: "•", error: "✗" };

export const doctor = folderCommand(
  { help: "check disk, clock, backups, proxy, webhooks; give advice", options: { json } },
  async (platen, { values }) => {
    const findings = await diagnose(platen);
    if (values.json) await print(JSON.stringify(findings, null, 2));
    else
      for (const { about, state, message, advice } of findings)
        await print(`${SYMBOLS[state]} ${about}: ${message}${advice && `\n  → ${advice}`}`);
    return findings.some(({ state }) => state === "error") ? EXIT_FAILURE : 0;
  },
);
