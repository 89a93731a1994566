CREATE TABLE `accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text,
	`is_admin` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email` ON `accounts` (lower("email"));--> statement-breakpoint
CREATE TABLE `attachments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`post_id` integer NOT NULL,
	`blob_id` integer NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`blob_id`) REFERENCES `blobs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `attachments_post` ON `attachments` (`post_id`,`blob_id`);--> statement-breakpoint
CREATE INDEX `attachments_blob` ON `attachments` (`blob_id`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`at` integer NOT NULL,
	`status` integer,
	`failure` text,
	`duration` integer NOT NULL,
	`answer` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `attempts_delivery` ON `attempts` (`delivery_id`,`id`);--> statement-breakpoint
CREATE TABLE `authorization_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`blog_id` integer NOT NULL,
	`blog_ids` text,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`challenge` text NOT NULL,
	`scopes` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_for_key_id` integer,
	`used_at` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`used_for_key_id`) REFERENCES `keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `authorization_codes_account` ON `authorization_codes` (`account_id`);--> statement-breakpoint
CREATE INDEX `authorization_codes_blog` ON `authorization_codes` (`blog_id`);--> statement-breakpoint
CREATE INDEX `authorization_codes_key` ON `authorization_codes` (`used_for_key_id`);--> statement-breakpoint
CREATE INDEX `authorization_codes_age` ON `authorization_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `blobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`folder` text NOT NULL,
	`filename` text NOT NULL,
	`media_type` text NOT NULL,
	`content_type` text NOT NULL,
	`byte_size` integer NOT NULL,
	`sha256` text NOT NULL,
	`width` integer,
	`height` integer,
	`placeholder` text DEFAULT '' NOT NULL,
	`is_animated` integer DEFAULT false NOT NULL,
	`has_poster` integer DEFAULT false NOT NULL,
	`caption` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blobs_folder` ON `blobs` (`folder`);--> statement-breakpoint
CREATE UNIQUE INDEX `blobs_filename` ON `blobs` (`blog_id`,`filename`);--> statement-breakpoint
CREATE TABLE `blogs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`title` text NOT NULL,
	`slug` text NOT NULL,
	`domain` text,
	`description` text DEFAULT '' NOT NULL,
	`language` text DEFAULT 'en' NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`theme` text DEFAULT 'serif' NOT NULL,
	`accent` text DEFAULT '' NOT NULL,
	`header_html` text DEFAULT '' NOT NULL,
	`footer_html` text DEFAULT '' NOT NULL,
	`custom_css` text DEFAULT '' NOT NULL,
	`profiles` text DEFAULT '[]' NOT NULL,
	`komments_open` integer DEFAULT true NOT NULL,
	`komments_moderated` integer DEFAULT true NOT NULL,
	`webhook_secret` text,
	`former_secret` text,
	`former_secret_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blogs_slug` ON `blogs` (`slug`);--> statement-breakpoint
CREATE UNIQUE INDEX `blogs_domain` ON `blogs` (`domain`);--> statement-breakpoint
CREATE INDEX `blogs_account` ON `blogs` (`account_id`);--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`slug` text NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_name` ON `categories` (`blog_id`,`name_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `categories_slug` ON `categories` (`blog_id`,`slug`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`webhook_id` integer NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`held_since` integer,
	`settled_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event` ON `deliveries` (`event_id`,`webhook_id`);--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_first` ON `deliveries` (`webhook_id`,`id`) WHERE "deliveries"."state" = 'pending' and "deliveries"."attempts" = 0;--> statement-breakpoint
CREATE INDEX `deliveries_again` ON `deliveries` (`webhook_id`,`due_at`) WHERE "deliveries"."state" = 'pending' and "deliveries"."attempts" > 0;--> statement-breakpoint
CREATE INDEX `deliveries_sending` ON `deliveries` (`id`) WHERE "deliveries"."state" = 'sending';--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer,
	`name` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`payload` text NOT NULL,
	`is_queued` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `events_blog` ON `events` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `events_age` ON `events` (`occurred_at`);--> statement-breakpoint
CREATE INDEX `events_unqueued` ON `events` (`id`) WHERE not "events"."is_queued";--> statement-breakpoint
CREATE TABLE `idempotent_answers` (
	`key_id` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`request` text NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`key_id`, `idempotency_key`),
	FOREIGN KEY (`key_id`) REFERENCES `keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotent_answers_age` ON `idempotent_answers` (`created_at`);--> statement-breakpoint
CREATE TABLE `key_blogs` (
	`key_id` integer NOT NULL,
	`blog_id` integer NOT NULL,
	PRIMARY KEY(`key_id`, `blog_id`),
	FOREIGN KEY (`key_id`) REFERENCES `keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `key_blogs_blog` ON `key_blogs` (`blog_id`);--> statement-breakpoint
CREATE TABLE `keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`client_id` text,
	`refresh_hash` text,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash` ON `keys` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `keys_refresh` ON `keys` (`refresh_hash`);--> statement-breakpoint
CREATE INDEX `keys_account` ON `keys` (`account_id`);--> statement-breakpoint
CREATE TABLE `komments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`post_id` integer NOT NULL,
	`status` text NOT NULL,
	`name` text NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`source` text NOT NULL,
	`html` text NOT NULL,
	`created_at` integer NOT NULL,
	`edited_at` integer,
	`edit_hash` text NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `komments_post` ON `komments` (`post_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `komments_waiting` ON `komments` (`id`) WHERE "komments"."status" = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX `komments_edit` ON `komments` (`edit_hash`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`post_id` integer,
	`name` text NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`read_at` integer,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `messages_blog` ON `messages` (`blog_id`,`id`);--> statement-breakpoint
CREATE INDEX `messages_post` ON `messages` (`post_id`);--> statement-breakpoint
CREATE TABLE `old_slugs` (
	`blog_id` integer NOT NULL,
	`slug` text NOT NULL,
	`post_id` integer NOT NULL,
	PRIMARY KEY(`blog_id`, `slug`),
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `old_slugs_post` ON `old_slugs` (`post_id`);--> statement-breakpoint
CREATE TABLE `post_tags` (
	`post_id` integer NOT NULL,
	`tag_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`post_id`, `tag_id`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_id`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `post_tags_tag` ON `post_tags` (`tag_id`);--> statement-breakpoint
CREATE TABLE `posts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`type` text DEFAULT 'post' NOT NULL,
	`status` text NOT NULL,
	`title` text NOT NULL,
	`slug` text NOT NULL,
	`category_id` integer,
	`published_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	`hidden` integer DEFAULT false NOT NULL,
	`hide_in_rss` integer DEFAULT false NOT NULL,
	`no_index_no_follow` integer DEFAULT false NOT NULL,
	`show_contact_form` integer DEFAULT false NOT NULL,
	`komments_disabled` integer DEFAULT false NOT NULL,
	`skip_archive` integer DEFAULT false NOT NULL,
	`share_id` text,
	`alt_text` text DEFAULT '{}' NOT NULL,
	`properties` text DEFAULT '{}' NOT NULL,
	`is_announced` integer DEFAULT false NOT NULL,
	`source` text NOT NULL,
	`source_type` text NOT NULL,
	`html` text NOT NULL,
	`text` text NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `posts_slug` ON `posts` (`blog_id`,`slug`) WHERE "posts"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `posts_share` ON `posts` (`share_id`);--> statement-breakpoint
CREATE INDEX `posts_category` ON `posts` (`category_id`,`published_at`);--> statement-breakpoint
CREATE INDEX `posts_by_publication` ON `posts` (`blog_id`,`status`,`published_at`);--> statement-breakpoint
CREATE INDEX `posts_by_creation` ON `posts` (`blog_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `posts_by_update` ON `posts` (`blog_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `posts_unannounced` ON `posts` (`published_at`) WHERE "posts"."status" = 'published' and not "posts"."is_announced" and "posts"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `posts_by_title` ON `posts` (`blog_id`,"title" collate nocase);--> statement-breakpoint
CREATE TABLE `revisions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`post_id` integer NOT NULL,
	`replaced_at` integer NOT NULL,
	`fields` text NOT NULL,
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `revisions_post` ON `revisions` (`post_id`,`id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`account_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_account` ON `sessions` (`account_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`slug` text NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name` ON `tags` (`blog_id`,`name_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `tags_slug` ON `tags` (`blog_id`,`slug`);--> statement-breakpoint
CREATE TABLE `views` (
	`post_id` integer NOT NULL,
	`day` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`post_id`, `day`),
	FOREIGN KEY (`post_id`) REFERENCES `posts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blog_id` integer NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	`removed_at` integer,
	`disabled_at` integer,
	`disabled_because` text,
	`failing_since` integer,
	`quiet_period` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`blog_id`) REFERENCES `blogs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_url` ON `webhooks` (`blog_id`,`url`);