CREATE TABLE `unsaved_posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer,
	`new_post` text,
	`version` text NOT NULL,
	`fields` text,
	`stamps` text NOT NULL,
	`kept_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `unsaved_posts_post` ON `unsaved_posts` (`post_id`,`account_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `unsaved_posts_new` ON `unsaved_posts` (`account_id`,`blog_id`,`new_post`);--> statement-breakpoint
CREATE INDEX `unsaved_posts_blog` ON `unsaved_posts` (`blog_id`,`account_id`,`kept_at`);--> statement-breakpoint
CREATE INDEX `unsaved_posts_old` ON `unsaved_posts` (`kept_at`) WHERE "unsaved_posts"."post_id" is null or "unsaved_posts"."fields" is null;