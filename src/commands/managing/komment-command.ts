import { type Blog, listBlogs } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { komments } from "../../database/schema";
import type { KommentStatus } from "../../komments/komment";
import {
  deleteKomment,
  type ListedKomment,
  listKomments,
  refuseKomment,
  showKomment,
} from "../../komments/moderating";
import type { Platen } from "../../platen";
import { argumentsOf, misused, secondWordMissing } from "../shell/arguments";
import { withPlaten } from "../shell/data-folder";
import { oneLine, print, printList } from "../shell/printing";
import { idIn } from "../shell/row-id";
import { blogNamed } from "./blog-command";

const STATUSES: readonly string[] = komments.status.enumValues;

/** `platen komment list|show|refuse|delete` */
export async function komment([verb, ...args]: string[]): Promise<number> {
  if (verb === "list") return await list(args);
  if (verb === "show") return await moderate("komment show", args, showKomment, "is shown");
  if (verb === "refuse") return await moderate("komment refuse", args, refuseKomment, "is refused");
  if (verb === "delete") return await moderate("komment delete", args, deleteKomment, "is deleted");
  throw secondWordMissing("komment", verb);
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("komment list", args);
  const status = values.status;
  if (status !== undefined && !STATUSES.includes(status))
    throw misused("komment list", `--status is "${status}"; it must be one of ${STATUSES.join(", ")}`);
  return await withPlaten(values.data, async (platen) => {
    const blog = values.blog === undefined ? undefined : blogNamed(platen, values.blog);
    const blogs = new Map(listBlogs(platen).map((row) => [row.id, row]));
    const rows = listKomments(platen, { blog, status: status as KommentStatus | undefined }).map((row) =>
      rowOf(platen, row, blogs.get(row.post.blogId) as Blog, values.json),
    );
    await printList(rows, ["id", "status", "created_at", "name", "address", "text", "post"], values.json);
    return 0;
  });
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
  };
}

async function moderate(
  name: "komment show" | "komment refuse" | "komment delete",
  args: string[],
  decide: (platen: Platen, id: number) => void,
  outcome: string,
): Promise<number> {
  const { values, operand } = argumentsOf(name, args);
  const id = idIn(name, operand, "komment");
  return await withPlaten(values.data, async (platen) => {
    decide(platen, id);
    await print(`Komment ${id} ${outcome}.`);
    return 0;
  });
}
