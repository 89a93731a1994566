import type { Blog } from "../../../blogs/blogs";
import type { Platen } from "../../../platen";
import { countLost, type ExportReport } from "../exporting";
import { countOthers } from "../reading/whole-blog";

/** Counts what formats that others have made know nothing of. */
export function countLeftOut(platen: Platen, blog: Blog, report: ExportReport): void {
  const { komments, messages, revisions, inTrash } = countOthers(platen, blog);
  countLost(report, "komments", komments - report.komments);
  countLost(report, "former versions", revisions);
  countLost(report, "messages of contact forms", messages);
  countLost(report, "posts in the trash", inTrash);
  countLost(report, "links of the navigation", blog.navigation.length);
}
