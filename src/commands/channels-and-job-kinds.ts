import type { Channel } from "../deliveries/channel";
import { fediverseChannel } from "../fediverse/fediverse-channel";
import type { AnyJobKind } from "../jobs/jobs";
import { answersChannel } from "../komments/answer-mails";
import { mentionCheckChannel } from "../mentions/received-mentions";
import { webmentionChannel } from "../mentions/sent-mentions";
import { hubChannel } from "../mentions/websub-hub";
import { newsletterChannel } from "../newsletter/issue-sending";
import { confirmationChannel } from "../newsletter/subscribing-and-unsubscribing";
import { noticesChannel } from "../notices/notices-channel";
import { replacementJob } from "../posts/media-library/replacing-files";
import { copyRepliesChannel } from "../syndication/copy-replies";
import { blueskyChannel, mastodonChannel } from "../syndication/copy-sending";
import { exportJob, importJob, undoJob } from "../transfer/import-and-export-jobs";
import { removalJob } from "../upkeep/removal/unfinished-removals";
import { UPKEEP_JOBS } from "../upkeep/upkeep-jobs";
import { webhookChannel } from "../webhooks/webhook-channel";

export const CHANNELS: readonly Channel[] = [
  noticesChannel,
  webhookChannel,
  fediverseChannel,
  newsletterChannel,
  confirmationChannel,
  answersChannel,
  webmentionChannel,
  mentionCheckChannel,
  hubChannel,
  blueskyChannel,
  mastodonChannel,
  copyRepliesChannel,
];

export const JOB_KINDS: readonly AnyJobKind[] = [
  ...UPKEEP_JOBS,
  importJob,
  undoJob,
  exportJob,
  replacementJob,
  removalJob,
];
