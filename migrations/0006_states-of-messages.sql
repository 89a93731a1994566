ALTER TABLE `messages` ADD `status` text DEFAULT 'waiting' NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_status` ON `messages` (`blog_id`,`status`,`id`);