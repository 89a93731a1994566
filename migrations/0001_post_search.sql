-- Full-text search over title and content. Holds an index only, no second copy of the text; rowid is posts.id.
-- What goes in is prepared by posts/search.ts (folded, with signs and unspaced scripts set apart).
CREATE VIRTUAL TABLE post_search USING fts5(title, content, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
