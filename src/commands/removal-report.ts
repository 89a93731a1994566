import { type Blog, listBlogs } from "../blogs/blogs";
import { blogUrl, homeBlog } from "../blogs/permalinks";
import { announceRemoval } from "../fediverse/fediverse-account";
import { mediaStore } from "../media/files/media-store";
import type { Platen } from "../platen";
import { counted, grouped } from "../text/numbers";
import { measureBlog } from "../upkeep/removal/owned-rows";
import type { RemovalOptions } from "../upkeep/removal/removal";
import { unfinishedRemovals } from "../upkeep/removal/unfinished-removals";
import { withAbortOnSignal } from "./shell/command";
import { CommandError } from "./shell/command-errors";
import { print, showStatus } from "./shell/printing";

export function summarizeBlog(platen: Platen, blog: Blog): string {
  const { posts, files, bytes, komments, messages, webhooks, keys } = measureBlog(platen, blog);
  const numbers = [
    counted(posts, "post"),
    `${counted(files, "file")} (${grouped(Math.ceil(bytes / 1000))} KB)`,
    counted(komments, "komment"),
    counted(messages, "message"),
    counted(webhooks, "webhook"),
    counted(keys, "key"),
  ];
  return `the blog ${blog.slug} (${numbers.join(", ")})`;
}

/** @param blogs all blogs that `remove` removes */
export async function removeAndReport(
  platen: Platen,
  blogs: Blog[],
  remove: (options: RemovalOptions) => Promise<string>,
) {
  // Before the blogs and their signing keys are deleted.
  for (const blog of blogs.filter(({ reach }) => reach?.fediverse))
    await announceRemoval(platen, blog, (done, total) =>
      showStatus(done === total ? "" : `Notifying followers: server ${done} of ${total}`),
    );
  const previousHome = homeBlog(platen)?.id;
  const urls = new Map(listBlogs(platen).map((blog) => [blog.id, blogUrl(platen, blog)]));
  const folder = await withAbortOnSignal(new Error("aborted"), (signal) =>
    remove({ signal }).catch((error) => {
      if (error !== signal.reason) throw error;
      throw new CommandError(
        unfinishedRemovals(platen).length === 0
          ? "The removal was stopped before anything was removed; nothing has changed."
          : "The removal was stopped halfway, and the pages are offline. To finish it, run the same command again, or start the server.",
      );
    }),
  );
  await print(`Removed; a copy is in ${folder}`);
  const store = mediaStore(platen);
  if (store) await print(`The media files stay at ${store.address}.`);
  const home = homeBlog(platen);
  if (!home) return await print("No blogs are left. To add one, run: platen blog add");
  if (home.id === previousHome) return;
  const [before, now] = [urls.get(home.id), blogUrl(platen, home)];
  const change = before === now ? "" : ` (before: ${before})`;
  await print(`The home blog is now ${home.slug}, at ${now}${change}`);
}
