import type { AnyJobKind } from "../../jobs/job";
import { replacementJob } from "../../posts/media-library/replacing-files";
import { exportJob, importJob, undoJob } from "../../transfer/import-and-export-jobs";
import { removalJob } from "../../upkeep/removal/removal-job";
import { UPKEEP_JOBS } from "../../upkeep/upkeep-jobs";

export const JOB_KINDS: readonly AnyJobKind[] = [
  ...UPKEEP_JOBS,
  importJob,
  undoJob,
  exportJob,
  replacementJob,
  removalJob,
];
