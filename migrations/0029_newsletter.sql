CREATE TABLE `newsletter_issues` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer,
	`digest_id` integer,
	`state` text DEFAULT 'draft' NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`sent_at` integer,
	`subject` text DEFAULT '' NOT NULL,
	`preview` text DEFAULT '' NOT NULL,
	`mail` text,
	`event_id` integer,
	`queued_to` integer DEFAULT 0,
	`sent_count` integer DEFAULT 0 NOT NULL,
	`failed_count` integer DEFAULT 0 NOT NULL,
	`bounced_count` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`digest_id`) REFERENCES `newsletter_issues`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `newsletter_issues_post` ON `newsletter_issues` (`post_id`);--> statement-breakpoint
CREATE INDEX `newsletter_issues_blog` ON `newsletter_issues` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `newsletter_issues_digest` ON `newsletter_issues` (`digest_id`);--> statement-breakpoint
CREATE INDEX `newsletter_issues_due` ON `newsletter_issues` (`due_at`) WHERE "newsletter_issues"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX `newsletter_issues_sending` ON `newsletter_issues` (`id`) WHERE "newsletter_issues"."state" = 'sending';--> statement-breakpoint
CREATE TABLE `subscribers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`address` text,
	`address_hash` text NOT NULL,
	`state` text NOT NULL,
	`language` text NOT NULL,
	`created_at` integer NOT NULL,
	`asked_at` integer,
	`confirmed_at` integer,
	`left_at` integer,
	`left_issue_id` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`left_issue_id`) REFERENCES `newsletter_issues`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_address` ON `subscribers` (`blog_id`,`address_hash`);--> statement-breakpoint
CREATE INDEX `subscribers_state` ON `subscribers` (`blog_id`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `subscribers_asked` ON `subscribers` (`asked_at`) WHERE "subscribers"."state" = 'asked';--> statement-breakpoint
CREATE INDEX `subscribers_left_issue` ON `subscribers` (`left_issue_id`);--> statement-breakpoint
CREATE TABLE `subscription_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`address_hash` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `subscription_requests_address` ON `subscription_requests` (`address_hash`,`at`);--> statement-breakpoint
CREATE INDEX `subscription_requests_age` ON `subscription_requests` (`at`);--> statement-breakpoint
ALTER TABLE `posts` ADD `reach` text;