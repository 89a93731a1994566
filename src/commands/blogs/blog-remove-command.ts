import { removeBlog } from "../../upkeep/removal/removal";
import { blogBeingRemoved } from "../../upkeep/removal/unfinished-removals";
import { command } from "../shell/command";
import { unconfirmed } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { blogInNumbers, progress, removeAndReport, yes } from "./removal-words";

export default command(
  {
    does: "remove a blog and all that is in it; a copy is kept in the data folder",
    operand: { name: "SLUG", isNeeded: true },
    options: {
      yes,
      progress,
    },
  },
  async ({ values, operand: slug }) => {
    await withPlaten(values.data, async (platen) => {
      const blog = blogBeingRemoved(platen, slug) ?? blogNamed(platen, slug);
      if (!values.yes)
        throw unconfirmed(
          `This would remove ${blogInNumbers(platen, blog)}`,
          `platen blog remove ${slug}`,
          values.data,
        );
      await removeAndReport(platen, values.progress, (wish) => removeBlog(platen, blog, wish));
    });
  },
);
