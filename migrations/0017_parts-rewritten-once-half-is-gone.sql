-- A part of the index is written anew once half of its posts are gone, not a tenth: a blog that is removed would have it
-- written nine times.
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('deletemerge', 50);
