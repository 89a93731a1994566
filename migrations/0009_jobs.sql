CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`blog_id` integer,
	`account_id` integer,
	`given` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`is_cancel_asked` integer DEFAULT false NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`doing` text DEFAULT '' NOT NULL,
	`bookmark` text,
	`report` text,
	`created_at` integer NOT NULL,
	`begun_at` integer,
	`ended_at` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `jobs_unfinished` ON `jobs` (`id`) WHERE "jobs"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `jobs_blog` ON `jobs` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_account` ON `jobs` (`account_id`,`id`);