import { deleteOldActs } from "../accounts/acts";
import { deleteOldAnswers } from "../accounts/idempotent-answers";
import { deleteEndedInvitations } from "../accounts/invitations";
import { deleteEndedSessions } from "../accounts/sessions";
import { deleteOldJobs } from "../jobs/old-jobs";
import type { Platen } from "../platen";
import { pruneRevisions } from "../posts/revisions/storing-revisions";
import { foldOldReadings } from "../posts/statistics/view-counts";
import { purgeDeletedPosts } from "../posts/trash/purging-posts";
import { deleteOldUnsaved } from "../posts/unsaved/unsaved-posts";
import { deleteOldDeliveries } from "../webhooks/log/old-deliveries";
import { deleteOldExports } from "./exports/kept-exports";

/**
 * Each removes what has had its time; how long that is stands beside what it is. One that says true has removed some of it,
 * and is to be called again.
 */
export const DELETE_EXPIRED: ((platen: Platen) => unknown)[] = [
  deleteOldAnswers,
  deleteEndedSessions,
  deleteOldActs,
  deleteEndedInvitations,
  deleteOldDeliveries,
  purgeDeletedPosts,
  deleteOldUnsaved,
  pruneRevisions,
  deleteOldJobs,
  deleteOldExports,
  foldOldReadings,
];
