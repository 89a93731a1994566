import { listAccounts } from "../accounts/accounts";
import { makeKey } from "../accounts/keys";
import { addBlog, listBlogs } from "../blogs/blogs";
import { setUpInstance } from "../blogs/instance-setup";
import { blogUrl } from "../blogs/permalinks";
import { inTransaction } from "../database/transactions";
import { assertUploadsHaveAccount } from "../upkeep/recovery/damaged-database";
import { removeBlog } from "../upkeep/removal/removal";
import { blogBeingRemoved } from "../upkeep/removal/unfinished-removals";
import { announceRemovals, removeAndReport, summarizeBlog } from "./removal-report";
import { command, folderCommand } from "./shell/command";
import { unconfirmed } from "./shell/command-errors";
import { email, json, passwordStdin, yes } from "./shell/common-options";
import { withPlaten } from "./shell/data-folder";
import { requireAccount, requireBlog } from "./shell/lookups";
import { readPassword } from "./shell/password-input";
import { print, printList } from "./shell/printing";
import { option, required } from "./shell/usage";

const title = required("T", "title of the blog");
const slug = option("S", "slug in the blog's URLs [from the title]");

export const setup = command(
  {
    help: "create the first account and blog; prints an API key",
    options: {
      email,
      title,
      name: option("N", "name of the account"),
      slug,
      "password-stdin": passwordStdin,
    },
  },
  async ({ values }) => {
    const { email, name, title, slug } = values;
    const password = values["password-stdin"] ? await readPassword() : null;
    await withPlaten(
      values.data,
      async (platen) => {
        assertUploadsHaveAccount(platen);
        const owner = { account: { email, name, password }, blog: { title, slug } };
        const { account } = await setUpInstance(platen, owner);
        await print(makeKey(platen, account).text);
      },
      { mayMakeFolder: true },
    );
  },
);

export const blogAdd = folderCommand(
  {
    help: "add a blog and print its id",
    options: {
      account: required("E", "e-mail address of its account"),
      title,
      slug,
      domain: option("D", "custom domain [none]"),
    },
  },
  async (platen, { values: { account, title, slug, domain } }) => {
    const blog = inTransaction(platen, () =>
      addBlog(platen, requireAccount(platen, account), { title, slug, domain }),
    );
    await print(String(blog.id));
  },
);

export const blogRemove = folderCommand(
  {
    help: "remove a blog and everything in it; keeps a copy",
    operands: ["SLUG"],
    options: { yes },
  },
  async (platen, { values, operands: [slug] }) => {
    const blog = blogBeingRemoved(platen, slug) ?? requireBlog(platen, slug);
    if (!values.yes)
      throw unconfirmed(
        `This would remove ${summarizeBlog(platen, blog)}`,
        `platen blog remove ${slug}`,
        values.data,
      );
    await announceRemovals(platen, [blog]);
    await removeAndReport(platen, (wish) => removeBlog(platen, blog, wish));
  },
);

export const blogList = folderCommand(
  { help: "list blogs", options: { json } },
  async (platen, { values }) => {
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
  },
);
