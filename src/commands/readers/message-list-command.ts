import { type Blog, listBlogs } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { listMessages } from "../../messages/message-list";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { oneLine, printList } from "../shell/printing";

const COLUMNS = ["id", "created_at", "name", "address", "text", "blog"];

export default command(
  {
    does: "list what readers sent by contact forms, newest first",
    options: { blog: { type: "string", value: "SLUG", does: "to this blog only" }, json },
  },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      const blogs = new Map(listBlogs(platen).map((row) => [row.id, row]));
      const chosen = values.blog === undefined ? undefined : blogNamed(platen, values.blog);
      const rows = listMessages(platen, chosen).map((message) => {
        const blog = blogs.get(message.blogId) as Blog;
        return {
          id: message.id,
          blog: blog.slug,
          post: message.slug === null ? null : postUrl(platen, blog, { slug: message.slug }),
          name: message.name,
          address: message.address,
          text: values.json ? message.text : oneLine(message.text),
          created_at: message.createdAt,
        };
      });
      await printList(rows, COLUMNS, values.json);
    });
  },
);
