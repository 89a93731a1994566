CREATE TABLE `copies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`receiver_id` integer NOT NULL,
	`key` text NOT NULL,
	`remote_id` text DEFAULT '' NOT NULL,
	`url` text DEFAULT '' NOT NULL,
	`digest` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`tried_at` integer,
	`sent_at` integer,
	`checks` integer DEFAULT 0 NOT NULL,
	`check_at` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`receiver_id`) REFERENCES `receivers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `copies_post` ON `copies` (`post_id`,`receiver_id`);--> statement-breakpoint
CREATE INDEX `copies_blog` ON `copies` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `copies_receiver` ON `copies` (`receiver_id`);--> statement-breakpoint
CREATE INDEX `copies_check` ON `copies` (`check_at`) WHERE "copies"."check_at" is not null;--> statement-breakpoint
CREATE TABLE `copy_accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`service` text NOT NULL,
	`receiver_id` integer NOT NULL,
	`server` text NOT NULL,
	`handle` text NOT NULL,
	`remote_id` text NOT NULL,
	`secret` text NOT NULL,
	`session` text,
	`max_characters` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`receiver_id`) REFERENCES `receivers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `copy_accounts_service` ON `copy_accounts` (`blog_id`,`service`);--> statement-breakpoint
CREATE INDEX `copy_accounts_receiver` ON `copy_accounts` (`receiver_id`);--> statement-breakpoint
CREATE TRIGGER `copy_accounts_of_removed_in` BEFORE INSERT ON `copy_accounts` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `copies_of_removed_in` BEFORE INSERT ON `copies` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `copies_shown` AFTER UPDATE OF `url` ON `copies` WHEN new.`url` <> old.`url` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `copies_shown_out` AFTER DELETE ON `copies` WHEN old.`url` <> '' BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (old.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;
