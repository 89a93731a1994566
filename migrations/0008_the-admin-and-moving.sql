ALTER TABLE `sessions` ADD `last_seen_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `device` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `place` text DEFAULT '' NOT NULL;
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`blog_id` integer,
	`account_id` integer,
	`given` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`is_cancel_asked` integer DEFAULT false NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`doing` text DEFAULT '' NOT NULL,
	`bookmark` text,
	`report` text,
	`created_at` integer NOT NULL,
	`begun_at` integer,
	`ended_at` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `jobs_unfinished` ON `jobs` (`id`) WHERE "jobs"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `jobs_blog` ON `jobs` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_account` ON `jobs` (`account_id`,`id`);
--> statement-breakpoint
ALTER TABLE `blogs` ADD `css_source` text;--> statement-breakpoint
ALTER TABLE `blogs` ADD `home_post_id` integer;--> statement-breakpoint
ALTER TABLE `blogs` ADD `home_category_id` integer;--> statement-breakpoint
ALTER TABLE `blogs` ADD `posts_a_page` integer DEFAULT 20 NOT NULL;
--> statement-breakpoint
ALTER TABLE `posts` ADD `preview_image` text;
--> statement-breakpoint
ALTER TABLE `attempts` ADD `signature` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `paused_at` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `last_attempt_id` integer;--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`webhook_id`,`id`) WHERE "deliveries"."state" in ('failed', 'dropped') or ("deliveries"."state" = 'pending' and "deliveries"."failures" > 0);
--> statement-breakpoint
CREATE TABLE `import_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_id` integer NOT NULL,
	`blog_id` integer NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`thing_id` integer NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `import_records_key` ON `import_records` (`blog_id`,`kind`,`key`);--> statement-breakpoint
CREATE INDEX `import_records_import` ON `import_records` (`import_id`,`kind`,`id`);--> statement-breakpoint
CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`format` text NOT NULL,
	`source` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `imports_blog` ON `imports` (`blog_id`,`id`);
--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`invited_by_id` integer,
	`for_whom` text DEFAULT '' NOT NULL,
	`is_admin` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`invited_by_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash` ON `invitations` (`hash`);--> statement-breakpoint
CREATE INDEX `invitations_account` ON `invitations` (`invited_by_id`);--> statement-breakpoint
CREATE INDEX `invitations_age` ON `invitations` (`expires_at`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `disabled_at` integer;
--> statement-breakpoint
ALTER TABLE `posts` ADD `made_by` text;
--> statement-breakpoint
ALTER TABLE `blogs` ADD `navigation` text DEFAULT '[]' NOT NULL;
--> statement-breakpoint
DROP INDEX `keys_account`;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_at` integer;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_from` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_by` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `keys_account` ON `keys` (`account_id`,(client_id is not null),(revoked_at is not null),id desc);
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`account_id` integer NOT NULL,
	`hash` text NOT NULL,
	PRIMARY KEY(`account_id`, `hash`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `two_factors` (
	`account_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`last_step` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`asked_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_account` ON `passkeys` (`account_id`);
--> statement-breakpoint
CREATE TABLE `former_topics` (
	`blog_id` integer NOT NULL,
	`kind` text NOT NULL,
	`slug` text NOT NULL,
	`topic_id` integer,
	PRIMARY KEY(`blog_id`, `kind`, `slug`),
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_topics_topic` ON `former_topics` (`kind`,`topic_id`);
--> statement-breakpoint
CREATE TABLE `acts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer,
	`by` text NOT NULL,
	`act` text NOT NULL,
	`about` text DEFAULT '' NOT NULL,
	`times` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `acts_account` ON `acts` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `acts_age` ON `acts` (`created_at`);
