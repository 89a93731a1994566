CREATE TABLE `post_counts` (
	`blog_id` integer NOT NULL,
	`period` integer NOT NULL,
	`status` text NOT NULL,
	`type` text NOT NULL,
	`category_id` integer NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`skip_archive` integer DEFAULT false NOT NULL,
	`posts` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `period`, `status`, `type`, `category_id`, `hidden`, `skip_archive`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP INDEX `posts_category`;--> statement-breakpoint
DROP INDEX `posts_share`;--> statement-breakpoint
DROP INDEX `posts_by_publication`;--> statement-breakpoint
DROP INDEX `posts_by_creation`;--> statement-breakpoint
DROP INDEX `posts_by_update`;--> statement-breakpoint
DROP INDEX `posts_by_title`;--> statement-breakpoint
CREATE INDEX `posts_deleted` ON `posts` (`blog_id`,`slug`,`deleted_at`) WHERE "posts"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX `posts_of_category` ON `posts` (`category_id`,`blog_id`,`deleted_at`,`status`,`type`,`published_at`,`id`,`created_at`,`updated_at`,`hidden`,`hide_in_rss`);--> statement-breakpoint
CREATE INDEX `posts_unpublished` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,`created_at`,`id`) WHERE "posts"."published_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `posts_share` ON `posts` (`share_id`) WHERE "posts"."share_id" is not null;--> statement-breakpoint
CREATE INDEX `posts_by_publication` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,`published_at`,`id`,`category_id`,`created_at`,`updated_at`,`hidden`,`skip_archive`,`hide_in_rss`,`no_index_no_follow`);--> statement-breakpoint
CREATE INDEX `posts_by_creation` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,`created_at`,`id`,`published_at`,`updated_at`,`category_id`);--> statement-breakpoint
CREATE INDEX `posts_by_update` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,`updated_at`,`id`,`published_at`,`created_at`,`category_id`);--> statement-breakpoint
CREATE INDEX `posts_by_title` ON `posts` (`blog_id`,`deleted_at`,`status`,`type`,"title" collate nocase,`id`,`published_at`,`created_at`,`updated_at`,`category_id`);--> statement-breakpoint
CREATE INDEX `blobs_of_blog` ON `blobs` (`blog_id`,`id`);--> statement-breakpoint
INSERT INTO `post_counts`
SELECT `blog_id`, 0, `status`, `type`, coalesce(`category_id`, 0), `hidden`, `skip_archive`, count(*)
FROM `posts` WHERE `deleted_at` IS NULL GROUP BY 1, 3, 4, 5, 6, 7;--> statement-breakpoint
-- Periods of 30 days, in milliseconds, from long before any date of a post: see posts/reading/totals.
INSERT INTO `post_counts`
SELECT `blog_id`, (coalesce(`published_at`, `created_at`) + 100000000000000) / 2592000000, `status`, `type`,
	coalesce(`category_id`, 0), `hidden`, `skip_archive`, count(*)
FROM `posts` WHERE `deleted_at` IS NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;--> statement-breakpoint
CREATE TRIGGER `posts_counted_in` AFTER INSERT ON `posts` WHEN new.`deleted_at` IS NULL BEGIN
	INSERT INTO `post_counts` VALUES
		(new.`blog_id`, 0, new.`status`, new.`type`, coalesce(new.`category_id`, 0), new.`hidden`, new.`skip_archive`, 1),
		(new.`blog_id`, (coalesce(new.`published_at`, new.`created_at`) + 100000000000000) / 2592000000, new.`status`,
			new.`type`, coalesce(new.`category_id`, 0), new.`hidden`, new.`skip_archive`, 1)
	ON CONFLICT DO UPDATE SET `posts` = `posts` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `posts_counted_out` AFTER DELETE ON `posts` WHEN old.`deleted_at` IS NULL BEGIN
	UPDATE `post_counts` SET `posts` = `posts` - 1
	WHERE `blog_id` = old.`blog_id`
		AND `period` IN (0, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type` AND `category_id` = coalesce(old.`category_id`, 0)
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive`;
	DELETE FROM `post_counts`
	WHERE `blog_id` = old.`blog_id`
		AND `period` IN (0, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type` AND `category_id` = coalesce(old.`category_id`, 0)
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive` AND `posts` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `posts_counted_anew` AFTER UPDATE ON `posts`
WHEN old.`deleted_at` IS NOT new.`deleted_at` OR old.`status` <> new.`status` OR old.`type` <> new.`type`
	OR old.`category_id` IS NOT new.`category_id` OR old.`published_at` IS NOT new.`published_at`
	OR old.`created_at` <> new.`created_at` OR old.`hidden` <> new.`hidden`
	OR old.`skip_archive` <> new.`skip_archive` OR old.`blog_id` <> new.`blog_id`
BEGIN
	UPDATE `post_counts` SET `posts` = `posts` - 1
	WHERE old.`deleted_at` IS NULL AND `blog_id` = old.`blog_id`
		AND `period` IN (0, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type` AND `category_id` = coalesce(old.`category_id`, 0)
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive`;
	DELETE FROM `post_counts`
	WHERE `blog_id` = old.`blog_id`
		AND `period` IN (0, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type` AND `category_id` = coalesce(old.`category_id`, 0)
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive` AND `posts` = 0;
	INSERT INTO `post_counts`
	SELECT new.`blog_id`, `column1`, new.`status`, new.`type`, coalesce(new.`category_id`, 0), new.`hidden`,
		new.`skip_archive`, 1
	FROM (VALUES (0), ((coalesce(new.`published_at`, new.`created_at`) + 100000000000000) / 2592000000))
	WHERE new.`deleted_at` IS NULL
	ON CONFLICT DO UPDATE SET `posts` = `posts` + 1;
END;
