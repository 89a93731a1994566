-- What a save adds to the index is put together with the rest in turns of its own (posts/parts/search-index.ts): FTS5 does
-- so in the midst of whichever save comes to it, for a tenth of a second where long posts were written before.
INSERT INTO `post_search` (`post_search`, `rank`) VALUES ('automerge', 0);
