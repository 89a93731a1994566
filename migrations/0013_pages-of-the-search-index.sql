-- A page of the index fits into a page of the database, of whatever size: else each is read in several.
INSERT INTO `post_search` (`post_search`, `rank`) SELECT 'pgsz', `page_size` - 46 FROM pragma_page_size;
