-- Posts whose words the search index is still to take in; before, those were a row of `settings`.
CREATE TABLE `unindexed_posts` (
	`post_id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
INSERT INTO `unindexed_posts`
SELECT `id` FROM `posts` WHERE `deleted_at` IS NULL AND EXISTS (SELECT 1 FROM `settings` WHERE `name` = 'posts to be indexed');--> statement-breakpoint
DELETE FROM `settings` WHERE `name` = 'posts to be indexed';
--> statement-breakpoint
-- Parts of the index are merged when there are eight of a size, not four: that writes a quarter less.
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('automerge', 8);
