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
