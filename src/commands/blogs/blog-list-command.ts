import { listAccounts } from "../../accounts/accounts";
import { listBlogs } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { printList } from "../shell/printing";

export default command({ does: "list the blogs", options: { json } }, async ({ values }) => {
  await withPlaten(values.data, async (platen) => {
    const emails = new Map(listAccounts(platen).map(({ id, email }) => [id, email]));
    const rows = listBlogs(platen).map((blog) => ({
      id: blog.id,
      slug: blog.slug,
      title: blog.title,
      domain: blog.domain,
      url: blogUrl(platen, blog),
      account: emails.get(blog.accountId) as string,
      created_at: blog.createdAt,
    }));
    await printList(rows, ["id", "slug", "title", "url", "account"], values.json);
  });
});
