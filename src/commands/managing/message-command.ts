import { type Blog, listBlogs } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { deleteMessage, listMessages } from "../../messages/messages";
import { argumentsOf, secondWordMissing } from "../shell/arguments";
import { withPlaten } from "../shell/data-folder";
import { oneLine, print, printList } from "../shell/printing";
import { idIn } from "../shell/row-id";
import { blogNamed } from "./blog-command";

/** `platen message list|delete` */
export async function message([verb, ...args]: string[]): Promise<number> {
  if (verb === "list") return await list(args);
  if (verb === "delete") return await remove(args);
  throw secondWordMissing("message", verb);
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("message list", args);
  return await withPlaten(values.data, async (platen) => {
    const blogs = new Map(listBlogs(platen).map((row) => [row.id, row]));
    const chosen = values.blog === undefined ? undefined : blogNamed(platen, values.blog);
    const rows = listMessages(platen, chosen).map((row) => {
      const blog = blogs.get(row.blogId) as Blog;
      return {
        id: row.id,
        blog: blog.slug,
        post: row.slug === null ? null : postUrl(platen, blog, { slug: row.slug }),
        name: row.name,
        address: row.address,
        text: values.json ? row.text : oneLine(row.text),
        created_at: row.createdAt,
      };
    });
    await printList(rows, ["id", "created_at", "name", "address", "text", "blog"], values.json);
    return 0;
  });
}

async function remove(args: string[]): Promise<number> {
  const { values, operand } = argumentsOf("message delete", args);
  const id = idIn("message delete", operand, "message");
  return await withPlaten(values.data, async (platen) => {
    deleteMessage(platen, id);
    await print(`Message ${id} is deleted.`);
    return 0;
  });
}
