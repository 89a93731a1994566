ALTER TABLE `attempts` ADD `signature` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `paused_at` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `last_attempt_id` integer;--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`webhook_id`,`id`) WHERE "deliveries"."state" in ('failed', 'dropped') or ("deliveries"."state" = 'pending' and "deliveries"."failures" > 0);