CREATE TABLE `blocked_hosts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer,
	`host` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `blocked_hosts_blog` ON `blocked_hosts` (`blog_id`,`host`);--> statement-breakpoint
CREATE TABLE `blog_actors` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`base` text NOT NULL,
	`public_pem` text NOT NULL,
	`private_pem` text NOT NULL,
	`key_number` integer DEFAULT 1 NOT NULL,
	`also_known_as` text DEFAULT '[]' NOT NULL,
	`moved_to` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blog_actors_blog` ON `blog_actors` (`blog_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `blog_actors_base` ON `blog_actors` (`base`);--> statement-breakpoint
CREATE TABLE `followers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`remote_actor_id` integer NOT NULL,
	`follow_id` text NOT NULL,
	`inbox` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`remote_actor_id`) REFERENCES `remote_actors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `followers_actor` ON `followers` (`blog_id`,`remote_actor_id`);--> statement-breakpoint
CREATE INDEX `followers_inbox` ON `followers` (`blog_id`,`inbox`);--> statement-breakpoint
CREATE INDEX `followers_remote` ON `followers` (`remote_actor_id`);--> statement-breakpoint
CREATE TABLE `reactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer NOT NULL,
	`remote_actor_id` integer,
	`kind` text NOT NULL,
	`uri` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`remote_actor_id`) REFERENCES `remote_actors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reactions_uri` ON `reactions` (`uri`);--> statement-breakpoint
CREATE UNIQUE INDEX `reactions_actor` ON `reactions` (`post_id`,`kind`,`remote_actor_id`);--> statement-breakpoint
CREATE INDEX `reactions_blog` ON `reactions` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `reactions_remote` ON `reactions` (`remote_actor_id`);--> statement-breakpoint
CREATE TABLE `remote_actors` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`url` text NOT NULL,
	`key_id` text NOT NULL,
	`public_pem` text NOT NULL,
	`inbox` text NOT NULL,
	`shared_inbox` text,
	`handle` text NOT NULL,
	`name` text NOT NULL,
	`profile_url` text NOT NULL,
	`also_known_as` text DEFAULT '[]' NOT NULL,
	`fetched_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `remote_actors_url` ON `remote_actors` (`url`);--> statement-breakpoint
CREATE INDEX `remote_actors_age` ON `remote_actors` (`fetched_at`);--> statement-breakpoint
CREATE TABLE `seen_activities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`uri` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `seen_activities_uri` ON `seen_activities` (`blog_id`,`uri`);--> statement-breakpoint
CREATE INDEX `seen_activities_age` ON `seen_activities` (`at`);--> statement-breakpoint
CREATE TABLE `sent_objects` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject_id` integer NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`state` text NOT NULL,
	`digest` text NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sent_objects_subject` ON `sent_objects` (`blog_id`,`kind`,`subject_id`);--> statement-breakpoint
ALTER TABLE `komments` ADD `origin` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `komments` ADD `origin_uri` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `komments` ADD `origin_url` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `komments` ADD `author_handle` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `komments` ADD `remote_actor_id` integer REFERENCES remote_actors(id) ON DELETE SET NULL;--> statement-breakpoint
ALTER TABLE `komments` ADD `parent_id` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `komments_origin` ON `komments` (`blog_id`,`origin_uri`) WHERE "komments"."origin_uri" <> '';--> statement-breakpoint
CREATE INDEX `komments_remote` ON `komments` (`remote_actor_id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `origin` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `origin_uri` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `messages_origin` ON `messages` (`blog_id`,`origin_uri`) WHERE "messages"."origin_uri" <> '';--> statement-breakpoint
CREATE TRIGGER `reactions_shown_in` AFTER INSERT ON `reactions` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (new.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `reactions_shown_out` AFTER DELETE ON `reactions` BEGIN
	INSERT INTO `page_changes` (`place`, `is_being_told`) VALUES (old.`blog_id`, 0)
	ON CONFLICT DO UPDATE SET `is_being_told` = 0 WHERE `is_being_told`;
END;--> statement-breakpoint
CREATE TRIGGER `blog_actors_of_removed_in` BEFORE INSERT ON `blog_actors` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `followers_of_removed_in` BEFORE INSERT ON `followers` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `reactions_of_removed_in` BEFORE INSERT ON `reactions` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `sent_objects_of_removed_in` BEFORE INSERT ON `sent_objects` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `seen_activities_of_removed_in` BEFORE INSERT ON `seen_activities` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;--> statement-breakpoint
CREATE TRIGGER `blocked_hosts_of_removed_in` BEFORE INSERT ON `blocked_hosts` WHEN EXISTS (SELECT 1 FROM `removals` WHERE `blog_id` = new.`blog_id`) BEGIN
	SELECT RAISE(ABORT, 'its blog is being removed');
END;
