import { jsonItems } from "./feed";
import type { ImportFormat } from "./format";

/** Micro.blog's export: a ZIP with `feed.json`, `index.html` and the media at their paths on the site. */
export const bar: ImportFormat = {
  name: "bar",
  detects: async (source) => source.has("feed.json") && source.has("index.html"),
  contentFiles: () => ["feed.json"],
  read: (source) => jsonItems(source, "feed.json", true),
};
