CREATE TABLE `password_resets` (
	`hash` text PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `password_resets_account` ON `password_resets` (`account_id`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `notices` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `accounts` ADD `notice_due` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `noticed` text DEFAULT '{"at":0,"komment":0,"message":0}' NOT NULL;