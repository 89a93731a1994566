import { isObject, textNamed } from "../folders/front-matter";
import { type Found, orFault } from "../items/imported-item";
import { type Source, textIn } from "../sources/source";
import { jsonItem } from "./feed-file";
import type { Format } from "./format";

/** A blog archive as Micro.blog exports it: a ZIP with `feed.json`, `index.html` and the pictures. */
export const bar: Format = {
  name: "bar",
  brings: "a blog archive of Micro.blog (.bar)",
  recognises: async (source) => source.has("feed.json") && source.has("index.html"),
  read,
};

/** In bytes. */
const LARGEST = 512 * 1024 * 1024;

/** Pictures are in the archive by the paths that they had at the site. */
async function* read(source: Source): AsyncGenerator<Found> {
  let items: unknown;
  try {
    items = JSON.parse(await textIn(source, "feed.json", LARGEST)).items;
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
  }
  if (!Array.isArray(items)) yield { fault: { name: "feed.json", why: "it is no JSON feed." } };
  else
    for (const item of items.filter(isObject))
      yield await orFault(textNamed(item, "title", "id"), () => ({ item: jsonItem(item, true) }));
}
