CREATE TABLE `former_media` (
	`folder` text PRIMARY KEY NOT NULL,
	`blob_id` integer NOT NULL,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_media_blob` ON `former_media` (`blob_id`);