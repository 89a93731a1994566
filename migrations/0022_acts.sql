CREATE TABLE `acts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer,
	`by` text NOT NULL,
	`act` text NOT NULL,
	`about` text DEFAULT '' NOT NULL,
	`times` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `acts_account` ON `acts` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `acts_age` ON `acts` (`created_at`);