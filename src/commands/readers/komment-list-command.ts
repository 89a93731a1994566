import { type Blog, listBlogs } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { komments } from "../../database/schema";
import type { KommentStatus } from "../../komments/komment";
import { type ListedKomment, listKomments } from "../../komments/komment-list";
import type { Platen } from "../../platen";
import { command } from "../shell/command";
import { ArgumentFault } from "../shell/command-faults";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { oneLine, printList } from "../shell/printing";

const COLUMNS = ["id", "status", "created_at", "name", "address", "text", "post"];
const STATUSES: readonly string[] = komments.status.enumValues;

export default command(
  {
    does: "list what readers wrote under posts, newest first",
    options: {
      blog: { type: "string", value: "SLUG", does: "of this blog only" },
      status: { type: "string", value: "STATUS", does: "only those waiting, shown or refused" },
      json,
    },
  },
  async ({ values }) => {
    const status = values.status === undefined ? undefined : statusIn(values.status);
    await withPlaten(values.data, async (platen) => {
      const blog = values.blog === undefined ? undefined : blogNamed(platen, values.blog);
      const blogs = new Map(listBlogs(platen).map((row) => [row.id, row]));
      const rows = listKomments(platen, { blog, status }).map((komment) =>
        rowOf(platen, komment, blogs.get(komment.post.blogId) as Blog, values.json),
      );
      await printList(rows, COLUMNS, values.json);
    });
  },
);

function statusIn(text: string): KommentStatus {
  if (!STATUSES.includes(text))
    throw new ArgumentFault(`--status is "${text}"; it must be one of ${STATUSES.join(", ")}`);
  return text as KommentStatus;
}

function rowOf(platen: Platen, komment: ListedKomment, blog: Blog, isWhole: boolean) {
  const { id, status, name, address, source, post } = komment;
  return {
    id,
    blog: blog.slug,
    post: postUrl(platen, blog, post),
    status,
    name,
    address,
    text: isWhole ? source : oneLine(source),
    created_at: komment.createdAt,
    edited_at: komment.editedAt,
    answer: komment.answer,
  };
}
