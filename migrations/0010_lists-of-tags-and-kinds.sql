CREATE TABLE `new_post_tags` (
	`post_id` integer NOT NULL,
	`tag_id` integer NOT NULL,
	`position` integer NOT NULL,
	`status` text NOT NULL,
	`type` text NOT NULL,
	`hidden` integer NOT NULL,
	`listed_at` integer,
	PRIMARY KEY(`post_id`, `tag_id`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_id`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_post_tags`
SELECT `post_id`, `tag_id`, `position`, `status`, `type`, `hidden`,
	iif(`deleted_at` IS NULL, coalesce(`published_at`, `created_at`), NULL)
FROM `post_tags` JOIN `posts` ON `id` = `post_id`;--> statement-breakpoint
DROP TABLE `post_tags`;--> statement-breakpoint
ALTER TABLE `new_post_tags` RENAME TO `post_tags`;--> statement-breakpoint
CREATE INDEX `post_tags_of_list` ON `post_tags` (`tag_id`,`status`,`type`,`listed_at`,`post_id`,`hidden`);--> statement-breakpoint
CREATE TRIGGER `tags_follow_post` AFTER UPDATE ON `posts`
WHEN old.`deleted_at` IS NOT new.`deleted_at` OR old.`status` <> new.`status` OR old.`type` <> new.`type`
	OR old.`hidden` <> new.`hidden` OR old.`published_at` IS NOT new.`published_at`
	OR old.`created_at` <> new.`created_at`
BEGIN
	UPDATE `post_tags` SET `status` = new.`status`, `type` = new.`type`, `hidden` = new.`hidden`,
		`listed_at` = iif(new.`deleted_at` IS NULL, coalesce(new.`published_at`, new.`created_at`), NULL)
	WHERE `post_id` = new.`id`;
END;--> statement-breakpoint
CREATE INDEX `posts_of_kind` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,`published_at`,`id`,`created_at`,(title = '') + 2 * (properties -> '$."rsvp"' is not null) + 4 * (properties -> '$."in-reply-to"' is not null) + 8 * (properties -> '$."repost-of"' is not null) + 16 * (properties -> '$."like-of"' is not null) + 32 * (properties -> '$."bookmark-of"' is not null) + 64 * (properties -> '$."checkin"' is not null) + 128 * (properties -> '$."video"' is not null) + 256 * (properties -> '$."photo"' is not null)) WHERE (title = '' or properties <> '{}');
