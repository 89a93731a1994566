CREATE TABLE `removals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer,
	`account_id` integer,
	`started_at` integer NOT NULL,
	`copy` text,
	`is_kept` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `removals_blog` ON `removals` (`blog_id`);--> statement-breakpoint
-- Whoever found the blog before it went stores nothing in it: that would be in no copy.
CREATE TRIGGER `posts_of_removed_in` BEFORE INSERT ON `posts` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `posts_of_removed_anew` BEFORE UPDATE OF `updated_at` ON `posts` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `blobs_of_removed_in` BEFORE INSERT ON `blobs` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `blobs_of_removed_anew` BEFORE UPDATE OF `folder` ON `blobs` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `komments_of_removed_in` BEFORE INSERT ON `komments` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `messages_of_removed_in` BEFORE INSERT ON `messages` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `categories_of_removed_in` BEFORE INSERT ON `categories` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `tags_of_removed_in` BEFORE INSERT ON `tags` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `webhooks_of_removed_in` BEFORE INSERT ON `webhooks` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `imports_of_removed_in` BEFORE INSERT ON `imports` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `unsaved_posts_of_removed_in` BEFORE INSERT ON `unsaved_posts` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `long_contents_of_removed_in` BEFORE INSERT ON `long_contents` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `blogs_removed_anew` BEFORE UPDATE ON `blogs` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
-- Caches are told as they are when a blog goes, and again where it comes back.
CREATE TRIGGER `removals_begun` AFTER INSERT ON `removals` WHEN new.`blog_id` IS NOT NULL BEGIN
	DELETE FROM `page_changes` WHERE `place` = CAST(new.`blog_id` AS TEXT);
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT coalesce(`domain`, ''), 0 FROM `blogs` WHERE `id` = new.`blog_id`
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `removals_taken_back` AFTER DELETE ON `removals` WHEN old.`blog_id` IS NOT NULL BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`)
	SELECT `id`, 0 FROM `blogs` WHERE `id` = old.`blog_id`
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;
