ALTER TABLE `blogs` ADD `design` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `posts` ADD `series` text;--> statement-breakpoint
CREATE INDEX `posts_series` ON `posts` (`blog_id`,`series`,`published_at`) WHERE "posts"."series" is not null;