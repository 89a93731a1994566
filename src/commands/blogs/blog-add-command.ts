import { addBlog } from "../../blogs/blogs";
import { inTransaction } from "../../database/transactions";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "add a blog; prints its id",
    options: {
      account: { type: "string", value: "E", isNeeded: true, does: "the e-mail address of its account" },
      title: { type: "string", value: "T", isNeeded: true, does: "its title" },
      slug: { type: "string", value: "S", does: "its short name in addresses" },
      domain: { type: "string", value: "D", does: "a host name of its own" },
    },
  },
  async ({ values: { account, title, slug, domain, data } }) => {
    await withPlaten(data, async (platen) => {
      const blog = inTransaction(platen, () =>
        addBlog(platen, accountNamed(platen, account), { title, slug, domain }),
      );
      await print(String(blog.id));
    });
  },
);
