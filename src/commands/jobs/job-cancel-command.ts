import { cancelJob } from "../../jobs/jobs";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  { does: "end a job at its next step, or before it begins", operand: { name: "ID", isNeeded: true } },
  async ({ values, operand }) => {
    const id = idIn(operand, "job");
    await withPlaten(values.data, async (platen) => {
      const state = cancelJob(platen, id);
      await print(state === "running" ? `Job ${id} ends at its next step.` : `Job ${id} is ${state}.`);
    });
  },
);
