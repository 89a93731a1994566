ALTER TABLE `blogs` ADD `css_source` text;--> statement-breakpoint
ALTER TABLE `blogs` ADD `home_post_id` integer;--> statement-breakpoint
ALTER TABLE `blogs` ADD `home_category_id` integer;--> statement-breakpoint
ALTER TABLE `blogs` ADD `posts_a_page` integer DEFAULT 20 NOT NULL;