CREATE TABLE `contents` (
	`post_id` integer PRIMARY KEY NOT NULL,
	`source_type` text NOT NULL,
	`html` text NOT NULL,
	`text` text NOT NULL,
	`source` text,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `posts` ADD `excerpt` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `html_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `posts` ADD `source_bytes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `posts` ADD `content_version` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO `contents` (`post_id`, `source_type`, `html`, `text`, `source`)
SELECT `id`, `source_type`, `html`, `text`, nullif(`source`, `html`) FROM `posts`;--> statement-breakpoint
-- Emptied first: each column that is dropped below has SQLite write every row anew.
UPDATE `posts` SET `html_bytes` = octet_length(`html`), `source_bytes` = octet_length(`source`),
	`source` = '', `html` = '', `text` = '';--> statement-breakpoint
-- SQL cannot make excerpts: posts/parts/older-excerpts.ts does.
INSERT INTO `settings` (`name`, `value`) SELECT 'excerpts made up to post', '0' WHERE EXISTS (SELECT 1 FROM `posts`);--> statement-breakpoint
ALTER TABLE `posts` DROP COLUMN `source`;--> statement-breakpoint
ALTER TABLE `posts` DROP COLUMN `source_type`;--> statement-breakpoint
ALTER TABLE `posts` DROP COLUMN `html`;--> statement-breakpoint
ALTER TABLE `posts` DROP COLUMN `text`;