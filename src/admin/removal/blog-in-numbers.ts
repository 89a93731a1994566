import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { measureBlog } from "../../upkeep/removal/owned-rows";
import { byteWords } from "../words/byte-words";

/** "12 posts, 3 files of 1.2 MB, …" */
export function blogInNumbers(platen: Platen, blog: Blog): string {
  const { posts, files, bytes, komments, messages, webhooks, keys } = measureBlog(platen, blog);
  const numbers: [number, string][] = [
    [posts, counted(posts, "post")],
    [files, `${counted(files, "file")} of ${byteWords(bytes)}`],
    [komments, counted(komments, "komment")],
    [messages, counted(messages, "message")],
    [webhooks, counted(webhooks, "webhook URL")],
    [keys, counted(keys, "key")],
  ];
  const there = numbers.filter(([number]) => number > 0).map(([, words]) => words);
  return there.join(", ") || "Only its settings";
}
