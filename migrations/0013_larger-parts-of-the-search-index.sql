-- Parts of the index are put together when there are sixteen of a size, not four: each word of 100,000 posts is then written
-- anew once instead of three times. Where more come than can be put together meanwhile, they wait: all at once takes seconds.
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('usermerge', 16);
--> statement-breakpoint
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('crisismerge', 64);
