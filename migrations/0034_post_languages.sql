DROP INDEX `posts_by_publication`;--> statement-breakpoint
DROP INDEX `posts_of_category`;--> statement-breakpoint
ALTER TABLE `posts` ADD `language` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `translation_group` integer;--> statement-breakpoint
CREATE INDEX `posts_translations` ON `posts` (`translation_group`) WHERE "posts"."translation_group" is not null;--> statement-breakpoint
CREATE INDEX `posts_languages` ON `posts` (`blog_id`,`language`) WHERE "posts"."language" is not null;--> statement-breakpoint
CREATE INDEX `posts_by_publication` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,`published_at`,`id`,`category_id`,`created_at`,`updated_at`,`hidden`,`skip_archive`,`hide_in_rss`,`no_index_no_follow`,`language`);--> statement-breakpoint
CREATE INDEX `posts_of_category` ON `posts` (`category_id`,`blog_id`,`deleted_at`,`status`,`type`,`published_at`,`id`,`created_at`,`updated_at`,`hidden`,`hide_in_rss`,`language`);--> statement-breakpoint
-- The pages of all translations link to each other, also in other blogs.
CREATE TRIGGER `posts_translated_in` AFTER INSERT ON `posts` WHEN new.`is_announced` AND new.`translation_group` IS NOT NULL BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT DISTINCT `blog_id`, 0 FROM `posts` WHERE `translation_group` IN (new.`translation_group`)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `posts_translated_anew` AFTER UPDATE ON `posts` WHEN (old.`is_announced` OR new.`is_announced`) AND coalesce(old.`translation_group`, new.`translation_group`) IS NOT NULL BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT DISTINCT `blog_id`, 0 FROM `posts` WHERE `translation_group` IN (old.`translation_group`, new.`translation_group`)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `posts_translated_out` AFTER DELETE ON `posts` WHEN old.`is_announced` AND old.`translation_group` IS NOT NULL BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT DISTINCT `blog_id`, 0 FROM `posts` WHERE `translation_group` IN (old.`translation_group`)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `blogs_translated_anew` AFTER UPDATE ON `blogs` WHEN (old.`slug`, old.`domain`, old.`language`, old.`home_post_id`) IS NOT (new.`slug`, new.`domain`, new.`language`, new.`home_post_id`) BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT DISTINCT `blog_id`, 0 FROM `posts` WHERE `translation_group` IN (
		SELECT `translation_group` FROM `posts` WHERE `blog_id` = new.`id` AND `translation_group` IS NOT NULL
	)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;
