CREATE TABLE `komment_months` (
	`blog_id` integer NOT NULL,
	`month` text NOT NULL,
	`komments` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `month`)
);
--> statement-breakpoint
INSERT INTO `komment_months` SELECT `blog_id`, coalesce(strftime('%Y-%m', `created_at` / 1000, 'unixepoch'), ''), count(*) FROM `komments` WHERE `status` <> 'refused' GROUP BY 1, 2;--> statement-breakpoint
CREATE TRIGGER `komments_of_month_in` AFTER INSERT ON `komments` WHEN new.`status` <> 'refused' BEGIN
	INSERT INTO `komment_months` VALUES (new.`blog_id`, coalesce(strftime('%Y-%m', new.`created_at` / 1000, 'unixepoch'), ''), 1)
	ON CONFLICT DO UPDATE SET `komments` = `komments` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `komments_of_month_out` AFTER DELETE ON `komments` WHEN old.`status` <> 'refused' BEGIN
	UPDATE `komment_months` SET `komments` = `komments` - 1
	WHERE `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '');
	DELETE FROM `komment_months`
	WHERE `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '') AND `komments` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `komments_of_month_anew` AFTER UPDATE ON `komments`
WHEN old.`status` <> new.`status` OR old.`created_at` <> new.`created_at` OR old.`blog_id` <> new.`blog_id`
BEGIN
	UPDATE `komment_months` SET `komments` = `komments` - 1
	WHERE old.`status` <> 'refused' AND `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '');
	DELETE FROM `komment_months`
	WHERE `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`created_at` / 1000, 'unixepoch'), '') AND `komments` = 0;
	INSERT INTO `komment_months` SELECT new.`blog_id`, coalesce(strftime('%Y-%m', new.`created_at` / 1000, 'unixepoch'), ''), 1 WHERE new.`status` <> 'refused'
	ON CONFLICT DO UPDATE SET `komments` = `komments` + 1;
END;
--> statement-breakpoint
CREATE TABLE `former_media` (
	`folder` text PRIMARY KEY NOT NULL,
	`blob_id` integer NOT NULL,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_media_blob` ON `former_media` (`blob_id`);
--> statement-breakpoint
-- Posts whose words the search index is still to take in; before, those were a row of `settings`.
CREATE TABLE `unindexed_posts` (
	`post_id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
INSERT INTO `unindexed_posts`
SELECT `id` FROM `posts` WHERE `deleted_at` IS NULL AND EXISTS (SELECT 1 FROM `settings` WHERE `name` = 'posts to be indexed');--> statement-breakpoint
DELETE FROM `settings` WHERE `name` = 'posts to be indexed';
--> statement-breakpoint
-- Parts of the index are merged when there are eight of a size, not four: that writes a quarter less.
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('automerge', 8);
--> statement-breakpoint
CREATE TABLE `page_changes` (
	`place` text PRIMARY KEY NOT NULL,
	`is_being_told` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
-- What pages show, and only that: drafts, readings, keys and the like are no change of a page.
CREATE TRIGGER `posts_shown_in` AFTER INSERT ON `posts` WHEN new.`is_announced` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `posts_shown_anew` AFTER UPDATE ON `posts` WHEN old.`is_announced` OR new.`is_announced` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `posts_shown_out` AFTER DELETE ON `posts` WHEN old.`is_announced` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (old.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `contents_shown_in` AFTER INSERT ON `contents` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT `blog_id`, 0 FROM `posts` WHERE `id` = new.`post_id` AND `is_announced`
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `contents_shown_anew` AFTER UPDATE ON `contents` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT `blog_id`, 0 FROM `posts` WHERE `id` = new.`post_id` AND `is_announced`
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `komments_shown_in` AFTER INSERT ON `komments` WHEN new.`status` = 'shown' BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `komments_shown_anew` AFTER UPDATE ON `komments` WHEN old.`status` = 'shown' OR new.`status` = 'shown' BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `komments_shown_out` AFTER DELETE ON `komments` WHEN old.`status` = 'shown' BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (old.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `categories_shown_anew` AFTER UPDATE ON `categories` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `categories_shown_out` AFTER DELETE ON `categories` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (old.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `tags_shown_anew` AFTER UPDATE ON `tags` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `tags_shown_out` AFTER DELETE ON `tags` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (old.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `blogs_shown_in` AFTER INSERT ON `blogs` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `blogs_shown_anew` AFTER UPDATE ON `blogs`
WHEN (old.`title`, old.`slug`, old.`domain`, old.`description`, old.`language`, old.`time_zone`, old.`theme`, old.`accent`, old.`header_html`, old.`footer_html`, old.`custom_css`, old.`profiles`, old.`home_post_id`, old.`home_category_id`, old.`navigation`, old.`posts_a_page`, old.`komments_open`, old.`komments_moderated`)
	IS NOT (new.`title`, new.`slug`, new.`domain`, new.`description`, new.`language`, new.`time_zone`, new.`theme`, new.`accent`, new.`header_html`, new.`footer_html`, new.`custom_css`, new.`profiles`, new.`home_post_id`, new.`home_category_id`, new.`navigation`, new.`posts_a_page`, new.`komments_open`, new.`komments_moderated`) BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `blogs_moved` AFTER UPDATE OF `domain` ON `blogs` WHEN old.`domain` IS NOT new.`domain` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (coalesce(old.`domain`, ''), 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `blogs_shown_out` AFTER DELETE ON `blogs` BEGIN
	DELETE FROM `page_changes` WHERE `place` = CAST(old.`id` AS TEXT);
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (coalesce(old.`domain`, ''), 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `accounts_shown_anew` AFTER UPDATE OF `name` ON `accounts` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) SELECT `id`, 0 FROM `blogs` WHERE `account_id` = new.`id`
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;
--> statement-breakpoint
-- A page of the index fits into a page of the database, of whatever size: else each is read in several.
INSERT INTO `post_search` (`post_search`, `rank`) SELECT 'pgsz', `page_size` - 46 FROM pragma_page_size;
--> statement-breakpoint
CREATE TABLE `unwanted_objects` (
	`path` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `blobs` ADD `at_store` text;--> statement-breakpoint
CREATE INDEX `blobs_in_folder` ON `blobs` (`id`) WHERE at_store IS NULL;
--> statement-breakpoint
DROP INDEX `authorization_codes_age`;
