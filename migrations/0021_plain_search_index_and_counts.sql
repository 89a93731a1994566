-- Posts are counted along covering indexes.
DROP TRIGGER `posts_counted_in`;--> statement-breakpoint
DROP TRIGGER `posts_counted_out`;--> statement-breakpoint
DROP TRIGGER `posts_counted_anew`;--> statement-breakpoint
DROP TABLE `post_totals`;--> statement-breakpoint
-- A save writes the search index itself. The server indexes posts that are missing from it when it starts.
DELETE FROM `post_search` WHERE rowid IN (SELECT `post_id` FROM `unindexed_posts`);--> statement-breakpoint
DROP TABLE `unindexed_posts`;--> statement-breakpoint
-- FTS5's defaults: it merges segments itself while it is written.
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('automerge', 4);--> statement-breakpoint
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('usermerge', 4);--> statement-breakpoint
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('crisismerge', 16);--> statement-breakpoint
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('deletemerge', 10);
