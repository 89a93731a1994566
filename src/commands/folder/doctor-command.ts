import { diagnose } from "../../upkeep/doctor/diagnosis";
import type { DoctorFinding } from "../../upkeep/doctor/doctor-finding";
import { command } from "../shell/command";
import { REFUSED } from "../shell/command-faults";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { print } from "../shell/printing";

const SIGNS: Record<DoctorFinding["state"], string> = { fine: "✓", look: "•", fault: "✗" };

/** Exit 1 where something is at fault; what is only worth a look is none. */
export default command(
  {
    does: "look at disk, clock, backups, addresses, proxy and webhooks, and say what to do",
    options: { json },
  },
  async ({ values }) => {
    let findings: DoctorFinding[] = [];
    await withPlaten(values.data, async (platen) => {
      findings = await diagnose(platen);
    });
    await print(values.json ? JSON.stringify(findings, null, 2) : findings.map(told).join("\n"));
    return findings.some(({ state }) => state === "fault") ? REFUSED : 0;
  },
);

function told({ about, state, says, advice }: DoctorFinding): string {
  return `${SIGNS[state]} ${about}: ${says}${advice && `\n  → ${advice}`}`;
}
