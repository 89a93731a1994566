CREATE TABLE `post_totals` (
	`blog_id` integer NOT NULL,
	`category_id` integer NOT NULL,
	`period` integer NOT NULL,
	`status` text NOT NULL,
	`type` text NOT NULL,
	`hidden` integer DEFAULT false NOT NULL,
	`skip_archive` integer DEFAULT false NOT NULL,
	`posts` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `category_id`, `period`, `status`, `type`, `hidden`, `skip_archive`)
) WITHOUT ROWID;
--> statement-breakpoint
-- Periods are those of 0003, but all time comes after the last of them; -1 stands for every category and none.
INSERT INTO `post_totals`
SELECT `blog_id`, `category_id`, iif(`period` = 0, 5000000, `period`), `status`, `type`, `hidden`, `skip_archive`, `posts`
FROM `post_counts`;--> statement-breakpoint
INSERT INTO `post_totals`
SELECT `blog_id`, -1, `period`, `status`, `type`, `hidden`, `skip_archive`, sum(`posts`)
FROM `post_totals` GROUP BY 1, 3, 4, 5, 6, 7;--> statement-breakpoint
DROP TRIGGER `posts_counted_in`;--> statement-breakpoint
DROP TRIGGER `posts_counted_out`;--> statement-breakpoint
DROP TRIGGER `posts_counted_anew`;--> statement-breakpoint
DROP TABLE `post_counts`;--> statement-breakpoint
CREATE TRIGGER `posts_counted_in` AFTER INSERT ON `posts` WHEN new.`deleted_at` IS NULL BEGIN
	INSERT INTO `post_totals`
	SELECT new.`blog_id`, category.`column1`, period.`column1`, new.`status`, new.`type`, new.`hidden`, new.`skip_archive`, 1
	FROM (VALUES (-1), (coalesce(new.`category_id`, 0))) AS category,
		(VALUES (5000000), ((coalesce(new.`published_at`, new.`created_at`) + 100000000000000) / 2592000000)) AS period
	WHERE true
	ON CONFLICT DO UPDATE SET `posts` = `posts` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `posts_counted_out` AFTER DELETE ON `posts` WHEN old.`deleted_at` IS NULL BEGIN
	UPDATE `post_totals` SET `posts` = `posts` - 1
	WHERE `blog_id` = old.`blog_id` AND `category_id` IN (-1, coalesce(old.`category_id`, 0))
		AND `period` IN (5000000, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type`
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive`;
	DELETE FROM `post_totals`
	WHERE `blog_id` = old.`blog_id` AND `category_id` IN (-1, coalesce(old.`category_id`, 0))
		AND `period` IN (5000000, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type`
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive` AND `posts` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `posts_counted_anew` AFTER UPDATE ON `posts`
WHEN old.`deleted_at` IS NOT new.`deleted_at` OR old.`status` <> new.`status` OR old.`type` <> new.`type`
	OR old.`category_id` IS NOT new.`category_id` OR old.`published_at` IS NOT new.`published_at`
	OR old.`created_at` <> new.`created_at` OR old.`hidden` <> new.`hidden`
	OR old.`skip_archive` <> new.`skip_archive` OR old.`blog_id` <> new.`blog_id`
BEGIN
	UPDATE `post_totals` SET `posts` = `posts` - 1
	WHERE old.`deleted_at` IS NULL
		AND `blog_id` = old.`blog_id` AND `category_id` IN (-1, coalesce(old.`category_id`, 0))
		AND `period` IN (5000000, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type`
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive`;
	DELETE FROM `post_totals`
	WHERE `blog_id` = old.`blog_id` AND `category_id` IN (-1, coalesce(old.`category_id`, 0))
		AND `period` IN (5000000, (coalesce(old.`published_at`, old.`created_at`) + 100000000000000) / 2592000000)
		AND `status` = old.`status` AND `type` = old.`type`
		AND `hidden` = old.`hidden` AND `skip_archive` = old.`skip_archive` AND `posts` = 0;
	INSERT INTO `post_totals`
	SELECT new.`blog_id`, category.`column1`, period.`column1`, new.`status`, new.`type`, new.`hidden`, new.`skip_archive`, 1
	FROM (VALUES (-1), (coalesce(new.`category_id`, 0))) AS category,
		(VALUES (5000000), ((coalesce(new.`published_at`, new.`created_at`) + 100000000000000) / 2592000000)) AS period
	WHERE new.`deleted_at` IS NULL
	ON CONFLICT DO UPDATE SET `posts` = `posts` + 1;
END;
