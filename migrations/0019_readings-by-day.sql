CREATE TABLE `media_totals` (
	`blog_id` integer PRIMARY KEY NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `post_months` (
	`blog_id` integer NOT NULL,
	`month` text NOT NULL,
	`posts` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `month`)
);
--> statement-breakpoint
CREATE TABLE `blog_readings` (
	`blog_id` integer NOT NULL,
	`day` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `day`),
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `referrers` (
	`blog_id` integer NOT NULL,
	`day` text NOT NULL,
	`host` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `day`, `host`),
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `views` ADD `blog_id` integer REFERENCES blogs(id) ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `views_most_read` ON `views` (`blog_id`,`day`,`count`,`post_id`);--> statement-breakpoint
UPDATE `views` SET `blog_id` = (SELECT `blog_id` FROM `posts` WHERE `id` = `post_id`);--> statement-breakpoint
INSERT INTO `blog_readings` SELECT `blog_id`, `day`, sum(`count`) FROM `views` WHERE `blog_id` IS NOT NULL GROUP BY 1, 2;--> statement-breakpoint
INSERT INTO `post_months` SELECT `blog_id`, coalesce(strftime('%Y-%m', `posts`.`published_at` / 1000, 'unixepoch'), ''), count(*) FROM `posts` WHERE `posts`.`deleted_at` IS NULL AND `posts`.`status` = 'published' AND `posts`.`type` = 'post' AND `posts`.`published_at` IS NOT NULL GROUP BY 1, 2;--> statement-breakpoint
INSERT INTO `media_totals` SELECT `blog_id`, count(*), sum(`byte_size`) FROM `blobs` GROUP BY 1;--> statement-breakpoint
CREATE TRIGGER `posts_of_month_in` AFTER INSERT ON `posts` BEGIN
	INSERT INTO `post_months` SELECT new.`blog_id`, coalesce(strftime('%Y-%m', new.`published_at` / 1000, 'unixepoch'), ''), 1 WHERE new.`deleted_at` IS NULL AND new.`status` = 'published' AND new.`type` = 'post' AND new.`published_at` IS NOT NULL
	ON CONFLICT DO UPDATE SET `posts` = `posts` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `posts_of_month_out` AFTER DELETE ON `posts` BEGIN
	UPDATE `post_months` SET `posts` = `posts` - 1
	WHERE old.`deleted_at` IS NULL AND old.`status` = 'published' AND old.`type` = 'post' AND old.`published_at` IS NOT NULL AND `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`published_at` / 1000, 'unixepoch'), '');
	DELETE FROM `post_months`
	WHERE old.`deleted_at` IS NULL AND old.`status` = 'published' AND old.`type` = 'post' AND old.`published_at` IS NOT NULL AND `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`published_at` / 1000, 'unixepoch'), '') AND `posts` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `posts_of_month_anew` AFTER UPDATE ON `posts`
WHEN old.`deleted_at` IS NOT new.`deleted_at` OR old.`status` <> new.`status` OR old.`type` <> new.`type`
	OR old.`published_at` IS NOT new.`published_at` OR old.`blog_id` <> new.`blog_id`
BEGIN
	UPDATE `post_months` SET `posts` = `posts` - 1
	WHERE old.`deleted_at` IS NULL AND old.`status` = 'published' AND old.`type` = 'post' AND old.`published_at` IS NOT NULL AND `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`published_at` / 1000, 'unixepoch'), '');
	DELETE FROM `post_months`
	WHERE old.`deleted_at` IS NULL AND old.`status` = 'published' AND old.`type` = 'post' AND old.`published_at` IS NOT NULL AND `blog_id` = old.`blog_id` AND `month` = coalesce(strftime('%Y-%m', old.`published_at` / 1000, 'unixepoch'), '') AND `posts` = 0;
	INSERT INTO `post_months` SELECT new.`blog_id`, coalesce(strftime('%Y-%m', new.`published_at` / 1000, 'unixepoch'), ''), 1 WHERE new.`deleted_at` IS NULL AND new.`status` = 'published' AND new.`type` = 'post' AND new.`published_at` IS NOT NULL
	ON CONFLICT DO UPDATE SET `posts` = `posts` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `files_counted_in` AFTER INSERT ON `blobs` BEGIN
	INSERT INTO `media_totals` VALUES (new.`blog_id`, 1, new.`byte_size`)
	ON CONFLICT DO UPDATE SET `files` = `files` + 1, `bytes` = `bytes` + new.`byte_size`;
END;--> statement-breakpoint
CREATE TRIGGER `files_counted_out` AFTER DELETE ON `blobs` BEGIN
	UPDATE `media_totals` SET `files` = `files` - 1, `bytes` = `bytes` - old.`byte_size` WHERE `blog_id` = old.`blog_id`;
	DELETE FROM `media_totals` WHERE `blog_id` = old.`blog_id` AND `files` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `files_counted_anew` AFTER UPDATE ON `blobs`
WHEN old.`byte_size` <> new.`byte_size` OR old.`blog_id` <> new.`blog_id`
BEGIN
	UPDATE `media_totals` SET `files` = `files` - 1, `bytes` = `bytes` - old.`byte_size` WHERE `blog_id` = old.`blog_id`;
	INSERT INTO `media_totals` VALUES (new.`blog_id`, 1, new.`byte_size`)
	ON CONFLICT DO UPDATE SET `files` = `files` + 1, `bytes` = `bytes` + new.`byte_size`;
	DELETE FROM `media_totals` WHERE `blog_id` = old.`blog_id` AND `files` = 0;
END;
