CREATE TABLE `deleted_media` (
	`folder` text PRIMARY KEY NOT NULL,
	`deleted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deleted_media_time` ON `deleted_media` (`deleted_at`);