CREATE TABLE `unwanted_objects` (
	`path` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `blobs` ADD `at_store` text;--> statement-breakpoint
CREATE INDEX `blobs_in_folder` ON `blobs` (`id`) WHERE at_store IS NULL;