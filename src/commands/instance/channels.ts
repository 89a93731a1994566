import type { Channel } from "../../deliveries/channel";
import { fediverseChannel } from "../../fediverse/fediverse-channel";
import { answersChannel } from "../../komments/answer-mails";
import { hubChannel, mentionCheckChannel, webmentionChannel } from "../../mentions/mention-channels";
import { confirmationChannel, newsletterChannel } from "../../newsletter/newsletter-channels";
import { noticesChannel } from "../../notices/notice-schedule";
import { blueskyChannel, copyRepliesChannel, mastodonChannel } from "../../syndication/copy-channels";
import { webhookChannel } from "../../webhooks/webhook-channel";

/** All channels that the server delivers to. Their senders are imported when something is sent. */
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
