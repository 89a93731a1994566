import { listAccounts } from "../../accounts/accounts";
import { type BlogChanges, configureBlog } from "../../blogs/blog-settings";
import { addBlog, type Blog, blogWithSlug, listBlogs } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { STANDARD_THEME } from "../../themes/themes";
import { argumentsOf, misused, secondWordMissing } from "../shell/arguments";
import { CommandFault, withPlaten } from "../shell/data-folder";
import { print, printList } from "../shell/printing";
import { accountNamed } from "./account-command";

/** `platen blog add|set|list` */
export async function blog([verb, ...args]: string[]): Promise<number> {
  if (verb === "add") return await add(args);
  if (verb === "set") return await set(args);
  if (verb === "list") return await list(args);
  throw secondWordMissing("blog", verb);
}

async function add(args: string[]): Promise<number> {
  const { values } = argumentsOf("blog add", args);
  const { account, title, slug, domain } = values;
  return await withPlaten(values.data, async (platen) => {
    const added = inTransaction(platen, () =>
      addBlog(platen, accountNamed(platen, account), { title, slug, domain }),
    );
    await print(String(added.id));
    return 0;
  });
}

async function set(args: string[]): Promise<number> {
  const { values, operand = "" } = argumentsOf("blog set", args);
  const { title, description, language, theme, accent, profile, data } = values;
  const changes: BlogChanges = {
    title,
    description,
    language: language === "" ? "en" : language,
    timeZone: values["time-zone"] === "" ? "UTC" : values["time-zone"],
    theme: theme === "" ? STANDARD_THEME : theme,
    accent,
    header: await textIn(values.header),
    footer: await textIn(values.footer),
    css: await textIn(values.css),
    profiles: profile.length > 0 ? profile.filter(Boolean) : undefined,
    kommentsOpen: switchIn("komments", values.komments),
    kommentsModerated: switchIn("moderated", values.moderated),
  };
  if (Object.values(changes).every((change) => change === undefined))
    throw misused("blog set", "Nothing is said about what to change");
  return await withPlaten(data, (platen) => {
    const { warnings } = inTransaction(platen, () =>
      configureBlog(platen, blogNamed(platen, operand), changes),
    );
    for (const warning of warnings) console.error(warning);
    return 0;
  });
}

/** Both are on until they are set. */
function switchIn(option: string, value: string | undefined): boolean | undefined {
  if (value !== undefined && !["on", "off", ""].includes(value))
    throw misused("blog set", `--${option} is "${value}"; it must be on or off`);
  return value === undefined ? undefined : value !== "off";
}

/** The blog that --blog names. */
export function blogNamed(platen: Platen, slug: string): Blog {
  const found = blogWithSlug(platen, slug);
  if (!found) throw new CommandFault(`There is no blog with the slug ${slug}.`);
  return found;
}

/** What a file holds; "-" is standard input, and an empty name an empty text. */
async function textIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined || file === "") return file;
  try {
    return await (file === "-" ? Bun.stdin : Bun.file(file)).text();
  } catch (fault) {
    throw new CommandFault(`${file} cannot be read: ${(fault as Error).message}`);
  }
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("blog list", args);
  return await withPlaten(values.data, async (platen) => {
    const emails = new Map(listAccounts(platen).map(({ id, email }) => [id, email]));
    const rows = listBlogs(platen).map((row) => ({
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
