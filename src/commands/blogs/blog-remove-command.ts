import { removeBlog } from "../../upkeep/removal/removing";
import { command } from "../shell/command";
import { unconfirmed } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { blogInNumbers, removeAndReport, yes } from "./removal-words";

/** In milliseconds. */
const STEPS_EVERY = 500;

export default command(
  {
    does: "remove a blog and all that is in it; a copy is kept in the data folder",
    operand: { name: "SLUG", isNeeded: true },
    options: {
      yes,
      progress: { type: "boolean", does: "say on standard error how far it is, in lines of JSON" },
    },
  },
  async ({ values, operand: slug }) => {
    await withPlaten(values.data, async (platen) => {
      const blog = blogNamed(platen, slug);
      if (!values.yes)
        throw unconfirmed(
          `This would remove ${blogInNumbers(platen, blog)}`,
          `platen blog remove ${slug}`,
          values.data,
        );
      const onStep = values.progress ? stepLines() : undefined;
      await removeAndReport(platen, () => removeBlog(platen, blog, onStep));
    });
  },
);

/** Twice a second at most. */
function stepLines(): (done: number, total: number) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    if (done < total && performance.now() - saidAt < STEPS_EVERY) return;
    saidAt = performance.now();
    console.error(JSON.stringify({ done, total }));
  };
}
