DROP INDEX `keys_account`;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_at` integer;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_from` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_by` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `keys_account` ON `keys` (`account_id`,(client_id is not null),(revoked_at is not null),id desc);