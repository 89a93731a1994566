import { listBlogs } from "../../blogs/blogs";
import { countMade, listImports } from "../../transfer/import/run/import-records";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { printList } from "../shell/printing";

const COLUMNS = ["id", "blog", "format", "source", "posts", "files", "started_at", "finished_at"];

export default command(
  {
    does: "list what was brought in from elsewhere, newest first",
    options: { blog: { type: "string", value: "SLUG", does: "into this blog only" }, json },
  },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      const blog = values.blog === undefined ? undefined : blogNamed(platen, values.blog);
      const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
      const rows = listImports(platen, blog).map(({ id, blogId, format, source, startedAt, finishedAt }) => ({
        id,
        blog: slugs.get(blogId) ?? "",
        format,
        source,
        posts: countMade(platen, id, "post"),
        files: countMade(platen, id, "file"),
        started_at: startedAt,
        finished_at: finishedAt,
      }));
      await printList(rows, COLUMNS, values.json);
    });
  },
);
