DROP TRIGGER `komments_of_month_in`;--> statement-breakpoint
DROP TRIGGER `komments_of_month_out`;--> statement-breakpoint
DROP TRIGGER `komments_of_month_anew`;--> statement-breakpoint
DROP TRIGGER `files_counted_in`;--> statement-breakpoint
DROP TRIGGER `files_counted_out`;--> statement-breakpoint
DROP TRIGGER `files_counted_anew`;--> statement-breakpoint
DROP TABLE `komment_months`;--> statement-breakpoint
DROP TABLE `media_totals`;--> statement-breakpoint
DROP INDEX `blobs_of_blog`;--> statement-breakpoint
CREATE INDEX `blobs_of_blog` ON `blobs` (`blog_id`,`id`,`byte_size`);--> statement-breakpoint
CREATE INDEX `komments_time` ON `komments` (`blog_id`,`created_at`,`status`);