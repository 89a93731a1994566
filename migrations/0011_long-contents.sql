CREATE TABLE `long_contents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `long_contents_blog` ON `long_contents` (`blog_id`);--> statement-breakpoint
CREATE TABLE `long_pieces` (
	`content_id` integer NOT NULL,
	`part` text NOT NULL,
	`position` integer NOT NULL,
	`piece` text NOT NULL,
	PRIMARY KEY(`content_id`, `part`, `position`),
	FOREIGN KEY (`content_id`) REFERENCES `long_contents`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `contents` ADD `long_id` integer REFERENCES long_contents(id);--> statement-breakpoint
CREATE INDEX `contents_long` ON `contents` (`long_id`) WHERE "contents"."long_id" is not null;--> statement-breakpoint
ALTER TABLE `revisions` ADD `long_id` integer REFERENCES long_contents(id);--> statement-breakpoint
CREATE INDEX `revisions_long` ON `revisions` (`long_id`) WHERE "revisions"."long_id" is not null;--> statement-breakpoint
-- SQLite keeps the order of what group_concat is given (not what other aggregates are), and finds it along the primary key.
CREATE VIEW `whole_contents` AS SELECT `post_id`, `source_type`,
	iif(`long_id` IS NULL, `html`, coalesce((SELECT group_concat(`piece`, '') FROM (SELECT `piece` FROM `long_pieces` WHERE `content_id` = `long_id` AND `part` = 'html' ORDER BY `position`)), '')) AS `html`,
	iif(`long_id` IS NULL, `text`, coalesce((SELECT group_concat(`piece`, '') FROM (SELECT `piece` FROM `long_pieces` WHERE `content_id` = `long_id` AND `part` = 'text' ORDER BY `position`)), '')) AS `text`,
	iif(`long_id` IS NULL, `source`, (SELECT group_concat(`piece`, '') FROM (SELECT `piece` FROM `long_pieces` WHERE `content_id` = `long_id` AND `part` = 'source' ORDER BY `position`))) AS `source`
FROM `contents`;
--> statement-breakpoint
CREATE VIEW `whole_revisions` AS SELECT `id`, `post_id`, `fields`,
	iif(`long_id` IS NULL, NULL, coalesce(
		(SELECT group_concat(`piece`, '') FROM (SELECT `piece` FROM `long_pieces` WHERE `content_id` = `long_id` AND `part` = 'source' ORDER BY `position`)),
		(SELECT group_concat(`piece`, '') FROM (SELECT `piece` FROM `long_pieces` WHERE `content_id` = `long_id` AND `part` = 'html' ORDER BY `position`)), '')) AS `source`
FROM `revisions`;
