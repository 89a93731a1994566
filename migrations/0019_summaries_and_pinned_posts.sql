ALTER TABLE `posts` ADD `pinned` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `posts` ADD `summary` text;--> statement-breakpoint
CREATE INDEX `posts_pinned` ON `posts` (`blog_id`,`published_at`) WHERE "posts"."pinned" = 1;--> statement-breakpoint
-- Micropub's `summary` was a property without a field. Longer ones stay there.
UPDATE `posts` SET `summary` = json_extract(`properties`, '$.summary[0]'), `properties` = json_remove(`properties`, '$.summary')
WHERE `properties` <> '{}' AND json_type(`properties`, '$.summary[0]') = 'text' AND json_array_length(`properties`, '$.summary') = 1
	AND length(json_extract(`properties`, '$.summary[0]')) BETWEEN 1 AND 500;
