CREATE TABLE `invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`invited_by_id` integer,
	`for_whom` text DEFAULT '' NOT NULL,
	`is_admin` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`invited_by_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash` ON `invitations` (`hash`);--> statement-breakpoint
CREATE INDEX `invitations_account` ON `invitations` (`invited_by_id`);--> statement-breakpoint
CREATE INDEX `invitations_age` ON `invitations` (`expires_at`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `disabled_at` integer;