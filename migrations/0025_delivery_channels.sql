ALTER TABLE `webhooks` RENAME TO `receivers`;--> statement-breakpoint
CREATE TABLE `__new_receivers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text DEFAULT 'webhook' NOT NULL,
	`blog_id` integer,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	`removed_at` integer,
	`disabled_at` integer,
	`disabled_because` text,
	`paused_at` integer,
	`paused_until` integer,
	`failing_since` integer,
	`quiet_period` integer DEFAULT 0 NOT NULL,
	`last_attempt_id` integer,
	`next_due` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
INSERT INTO `__new_receivers`("id", "channel", "blog_id", "url", "created_at", "removed_at", "disabled_at", "disabled_because", "paused_at", "paused_until", "failing_since", "quiet_period", "last_attempt_id", "next_due") SELECT "id", 'webhook', "blog_id", "url", "created_at", "removed_at", "disabled_at", "disabled_because", "paused_at", NULL, "failing_since", "quiet_period", "last_attempt_id", NULL FROM `receivers`;--> statement-breakpoint
DROP TABLE `receivers`;--> statement-breakpoint
ALTER TABLE `__new_receivers` RENAME TO `receivers`;--> statement-breakpoint
CREATE UNIQUE INDEX `receivers_url` ON `receivers` (`blog_id`,`channel`,`url`);--> statement-breakpoint
CREATE INDEX `receivers_due` ON `receivers` (`channel`,`next_due`) WHERE "receivers"."next_due" is not null;--> statement-breakpoint
ALTER TABLE `deliveries` RENAME COLUMN `webhook_id` TO `receiver_id`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `target` text DEFAULT '' NOT NULL;--> statement-breakpoint
DROP INDEX `deliveries_event`;--> statement-breakpoint
DROP INDEX `deliveries_webhook`;--> statement-breakpoint
DROP INDEX `deliveries_failed`;--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event` ON `deliveries` (`event_id`,`receiver_id`,`target`);--> statement-breakpoint
CREATE INDEX `deliveries_receiver` ON `deliveries` (`receiver_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`receiver_id`,`id`) WHERE "deliveries"."state" in ('failed', 'dropped', 'unsure') or ("deliveries"."state" = 'pending' and "deliveries"."failures" > 0);--> statement-breakpoint
CREATE TABLE `__new_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text DEFAULT 'webhook' NOT NULL,
	`blog_id` integer,
	`post_id` integer,
	`name` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`payload` text NOT NULL,
	`is_queued` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);--> statement-breakpoint
INSERT INTO `__new_events`("id", "channel", "blog_id", "post_id", "name", "occurred_at", "payload", "is_queued") SELECT "id", 'webhook', "blog_id", "post_id", "name", "occurred_at", "payload", "is_queued" FROM `events`;--> statement-breakpoint
DROP TABLE `events`;--> statement-breakpoint
ALTER TABLE `__new_events` RENAME TO `events`;--> statement-breakpoint
CREATE INDEX `events_blog` ON `events` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `events_age` ON `events` (`occurred_at`);--> statement-breakpoint
CREATE INDEX `events_unqueued` ON `events` (`id`) WHERE not "events"."is_queued";--> statement-breakpoint
ALTER TABLE `blogs` ADD `reach` text;--> statement-breakpoint
CREATE TRIGGER `receivers_of_removed_in` BEFORE INSERT ON `receivers` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;
