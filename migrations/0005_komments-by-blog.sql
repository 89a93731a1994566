ALTER TABLE `blogs` ADD `blocked` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- Made anew: SQLite adds no column that points to another table and may not be null.
CREATE TABLE `new_komments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`status` text NOT NULL,
	`name` text NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`source` text NOT NULL,
	`html` text NOT NULL,
	`created_at` integer NOT NULL,
	`edited_at` integer,
	`edit_hash` text NOT NULL,
	`answer` text,
	`answer_html` text,
	`answered_at` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `new_komments` (`id`, `blog_id`, `post_id`, `status`, `name`, `address`, `source`, `html`, `created_at`, `edited_at`, `edit_hash`)
SELECT komments.`id`, posts.`blog_id`, `post_id`, komments.`status`, `name`, `address`, `source`, `html`, komments.`created_at`, `edited_at`, `edit_hash`
FROM `komments` INNER JOIN `posts` ON posts.`id` = `post_id`;--> statement-breakpoint
DROP TABLE `komments`;--> statement-breakpoint
ALTER TABLE `new_komments` RENAME TO `komments`;--> statement-breakpoint
CREATE INDEX `komments_post` ON `komments` (`post_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `komments_blog` ON `komments` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `komments_status` ON `komments` (`blog_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `komments_waiting` ON `komments` (`id`) WHERE "komments"."status" = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX `komments_edit` ON `komments` (`edit_hash`);
