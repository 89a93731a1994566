import { jsonItems } from "./feed";
import type { Format } from "./format";

/** A blog archive as Micro.blog exports it: a ZIP with `feed.json`, `index.html` and the pictures, by the paths they had at the site. */
export const bar: Format = {
  name: "bar",
  brings: "a blog archive of Micro.blog (.bar)",
  recognises: async (source) => source.has("feed.json") && source.has("index.html"),
  texts: () => ["feed.json"],
  read: (source) => jsonItems(source, "feed.json", true),
};
