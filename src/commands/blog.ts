import { listAccounts } from "../accounts/accounts";
import { blogUrl } from "../blogs/addresses";
import { addBlog, listBlogs } from "../blogs/blogs";
import { inTransaction } from "../database/open";
import { accountNamed } from "./account";
import { argumentsOf, secondWordMissing } from "./arguments";
import { withPlaten } from "./opening";
import { print, printList } from "./printing";

/** `platen blog add|list` */
export async function blog([verb, ...args]: string[]): Promise<number> {
  if (verb === "add") return await add(args);
  if (verb === "list") return await list(args);
  throw secondWordMissing("blog", verb);
}

async function add(args: string[]): Promise<number> {
  const { values } = argumentsOf("blog add", args);
  const { account, title, slug, domain } = values;
  return await withPlaten(values.data, async (platen) => {
    const added = inTransaction(platen.db, (tx) =>
      addBlog(platen, tx, accountNamed(platen, account), { title, slug, domain }),
    );
    await print(String(added.id));
    return 0;
  });
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("blog list", args);
  return await withPlaten(values.data, async (platen) => {
    const emails = new Map(listAccounts(platen.db).map(({ id, email }) => [id, email]));
    const rows = listBlogs(platen.db).map((row) => ({
      id: row.id,
      slug: row.slug,
      title: row.title,
      domain: row.domain,
      url: blogUrl(platen, row),
      account: emails.get(row.accountId) as string,
      created_at: row.createdAt,
    }));
    await printList(rows, ["id", "slug", "title", "url", "account"], values.json);
    return 0;
  });
}
