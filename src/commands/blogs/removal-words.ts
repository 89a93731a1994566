import { type Blog, listBlogs } from "../../blogs/blogs";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import { mediaStore } from "../../media/store/media-store";
import type { Platen } from "../../platen";
import { counted, grouped } from "../../text/numbers";
import { measureBlog } from "../../upkeep/removal/owned-rows";
import type { RemovalOptions } from "../../upkeep/removal/removal";
import { unfinishedRemovals } from "../../upkeep/removal/unfinished-removals";
import { toldOfEnding } from "../shell/command";
import { CommandFault } from "../shell/command-faults";
import { print } from "../shell/printing";

/** For the commands that remove. */
export const yes = { type: "boolean", does: "do it; without this it only says what would go" } as const;
export const progress = {
  type: "boolean",
  does: "say on standard error how far it is, in lines of JSON",
} as const;
/** Of such lines, in milliseconds. */
const STEPS_EVERY = 500;

/** "the blog second (2 posts, 1 file of 0.3 MB, 0 komments, …)" */
export function blogInNumbers(platen: Platen, blog: Blog): string {
  const { posts, files, bytes, komments, messages, webhooks, keys } = measureBlog(platen, blog);
  const numbers = [
    counted(posts, "post"),
    `${counted(files, "file")} of ${grouped(Math.ceil(bytes / 1000))} KB`,
    counted(komments, "komment"),
    counted(messages, "message"),
    counted(webhooks, "webhook"),
    counted(keys, "key"),
  ];
  return `the blog ${blog.slug} (${numbers.join(", ")})`;
}

/** Removes, and says where the copy is and which blog is elsewhere now. @param remove gives the copy's folder */
export async function removeAndReport(
  platen: Platen,
  tellsProgress: boolean | undefined,
  remove: (wish: RemovalOptions) => Promise<string>,
): Promise<void> {
  const formerly = homeBlog(platen)?.id;
  const before = new Map(listBlogs(platen).map((blog) => [blog.id, blogUrl(platen, blog)]));
  const onStep = tellsProgress ? stepLines() : undefined;
  const folder = await toldOfEnding(new Error("ended"), (signal) =>
    remove({ onStep, signal }).catch((fault) => {
      throw fault === signal.reason ? new CommandFault(ended(platen)) : fault;
    }),
  );
  await print(`Removed; a copy of all of it is ${folder}`);
  const store = mediaStore(platen);
  if (store) await print(`Media that it had at ${store.address} stay there, for that copy.`);
  const home = homeBlog(platen);
  if (!home) return await print("There is no blog left; platen blog add makes one.");
  if (home.id === formerly) return;
  // Only the oldest blog's address depends on the others.
  const [was, is] = [before.get(home.id), blogUrl(platen, home)];
  await print(`The blog ${home.slug} is the home blog now, at ${is}${was === is ? "" : ` (before: ${was})`}`);
}

function ended(platen: Platen): string {
  return unfinishedRemovals(platen).length === 0
    ? "The removal was ended before anything was removed: all is there as it was."
    : "The removal was ended in the middle, and nobody finds it any more. The rest goes when the same is typed again, or when a server starts.";
}

/** Twice a second at most. */
function stepLines(): (done: number, total: number) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    if (done < total && performance.now() - saidAt < STEPS_EVERY) return;
    saidAt = performance.now();
    console.error(JSON.stringify({ done, total }));
  };
}
