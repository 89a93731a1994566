import { listAccounts } from "../accounts/accounts";
import { type AddressChanges, moveBlog } from "../blogs/blog-addresses";
import { type BlogChanges, configureBlog } from "../blogs/blog-settings";
import { type Blog, blogUrl, homeBlog, listBlogs } from "../blogs/blogs";
import { parseDesignFile } from "../blogs/design-file";
import { addBlog, BLOG_DEFAULTS } from "../blogs/new-blogs";
import { inTransaction } from "../database/transactions";
import { announceRemoval } from "../fediverse/fediverse-account";
import { mediaStore } from "../media/files/media-store";
import type { Platen } from "../platen";
import { parseHome, parseNavigation, type TypedLink } from "../posts/reading/navigation-and-home";
import { counted, grouped } from "../text/numbers";
import { THEME_NAMES } from "../themes/theme-list";
import { measureBlog } from "../upkeep/removal/owned-rows";
import { type RemovalOptions, removeBlog } from "../upkeep/removal/removal";
import { blogBeingRemoved, unfinishedRemovals } from "../upkeep/removal/unfinished-removals";
import { folderCommand, listCommand, requireAccount, requireBlog, withAbortOnSignal } from "./shell/command";
import { ArgumentError, CommandError, explainSystemError, unconfirmed } from "./shell/command-errors";
import { print, showStatus, toRow } from "./shell/terminal";
import { onOff, option, parsed, repeatable, required, slug, title, yes } from "./shell/usage";

export const blogAdd = folderCommand(
  {
    help: "add a blog and print its id",
    options: {
      account: required("E", "e-mail address of the owner's account"),
      title,
      slug,
      domain: option("D", "custom domain [none]"),
    },
  },
  (platen, { values: { account, title, slug, domain } }) => {
    const blog = inTransaction(platen, () =>
      addBlog(platen, requireAccount(platen, account), { title, slug, domain }),
    );
    return String(blog.id);
  },
);

export const blogRemove = folderCommand(
  {
    help: "remove a blog; save a copy of it in removed/",
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
    await removeAndReport(platen, [blog], (options) => removeBlog(platen, blog, options));
  },
);

export const blogList = listCommand(
  { help: "list blogs" },
  ["id", "slug", "title", "url", "account"],
  (platen) => {
    const emails = new Map(listAccounts(platen).map(({ id, email }) => [id, email]));
    return listBlogs(platen).map((blog) => ({
      ...toRow(blog, ["id", "slug", "title", "domain"]),
      url: blogUrl(platen, blog),
      account: emails.get(blog.accountId) as string,
      created_at: blog.createdAt,
    }));
  },
);

export const blogSet = folderCommand(
  {
    help: "change a blog's settings; an empty value resets a setting",
    operands: ["SLUG"],
    options: {
      slug: option("S", "slug in the blog's URLs; old URLs redirect"),
      domain: option("D", "custom domain [none]"),
      title: option("T", "title"),
      description: option("TEXT", "one-line description"),
      language: option("TAG", `language, like pt-BR [${BLOG_DEFAULTS.language}]`),
      "time-zone": option("ZONE", `time zone, like Europe/Berlin [${BLOG_DEFAULTS.timeZone}]`),
      theme: option("NAME", `theme: ${THEME_NAMES.join(", ")} [${BLOG_DEFAULTS.theme}]`),
      accent: option("#RRGGBB", "color of links [the theme's]"),
      design: option("FILE", "design exported by the admin (JSON)"),
      header: option("FILE", "HTML at the top of each page; - reads standard input"),
      footer: option("FILE", "HTML at the bottom of each page; - reads standard input"),
      css: option("FILE", "custom CSS; - reads standard input"),
      nav: repeatable("LABEL=PATH", "navigation link, like About=/about"),
      home: option("PATH", "page or category as home page [newest posts]"),
      "posts-a-page": option("N", `posts per page in lists [${BLOG_DEFAULTS.postsAPage}]`),
      feeds: option("full|summary", `whole posts or summaries in feeds [${BLOG_DEFAULTS.feedContent}]`),
      profile: repeatable("URL", "URL of your profile elsewhere (rel=me)"),
      komments: parsed("on|off", "allow komments [on]", onOff(BLOG_DEFAULTS.kommentsOpen)),
      moderated: parsed("on|off", "hold komments for approval [on]", onOff(BLOG_DEFAULTS.kommentsModerated)),
      "komment-events": parsed("on|off", "send komment.created to webhooks [off]", onOff(false)),
    },
  },
  async (platen, { values, operands: [slug] }) => {
    const { title, description, language, theme, accent, home, nav, profile } = values;
    const postsAPage = values["posts-a-page"];
    if ([values.design, values.header, values.footer, values.css].filter((file) => file === "-").length > 1)
      throw new ArgumentError("Only one option can read standard input");
    const designText = await readTextFile("design", values.design);
    const designFile = designText ? parseDesignFile(designText) : undefined;
    const changes: BlogChanges = {
      title,
      description,
      language: language === "" ? BLOG_DEFAULTS.language : language,
      timeZone: values["time-zone"] === "" ? BLOG_DEFAULTS.timeZone : values["time-zone"],
      theme: theme === "" ? BLOG_DEFAULTS.theme : (theme ?? designFile?.theme),
      accent: accent ?? designFile?.accent,
      design: designFile?.design,
      header: await readTextFile("header", values.header),
      footer: await readTextFile("footer", values.footer),
      css: (await readTextFile("css", values.css)) ?? designFile?.css,
      postsAPage: postsAPage === undefined ? undefined : Number(postsAPage || BLOG_DEFAULTS.postsAPage),
      feedContent: values.feeds === "" ? BLOG_DEFAULTS.feedContent : values.feeds,
      profiles: profile.length > 0 ? profile.filter(Boolean) : undefined,
      kommentsOpen: values.komments,
      kommentsModerated: values.moderated,
      kommentEvents: values["komment-events"],
    };
    const address: AddressChanges = { slug: values.slug, domain: values.domain };
    const links = nav.length > 0 ? nav.filter(Boolean).map(parseLink) : undefined;
    if (Object.values({ ...changes, ...address, home, links }).every((change) => change === undefined))
      throw new ArgumentError("Nothing to change: pass at least one option");
    const isMoved = Object.values(address).some((part) => part !== undefined);
    const { leftOut, url } = inTransaction(platen, () => {
      const blog = requireBlog(platen, slug);
      const configured = configureBlog(platen, blog, {
        ...changes,
        navigation: links && parseNavigation(platen, blog, links),
        home: home === undefined ? undefined : parseHome(platen, blog, home),
      });
      return { ...configured, url: isMoved ? moveBlog(platen, configured.blog, address) : null };
    });
    for (const warning of Object.values(leftOut).flat()) console.error(warning);
    return url ? `The blog is at ${url}` : undefined;
  },
);

function parseLink(text: string): TypedLink {
  const [, label = "", to = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (to === "") throw new ArgumentError(`--nav is "${text}"; it must be like About=/about`);
  return { label, to };
}

async function readTextFile(option: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined || file === "") return file;
  const text = await (file === "-" ? Bun.stdin : Bun.file(file)).text().catch((error) => {
    throw new CommandError(`${file} cannot be read: ${explainSystemError(error)}.`);
  });
  // The command before the pipe has probably failed.
  if (file === "-" && text.trim() === "")
    throw new CommandError(
      `Standard input is empty, so nothing was changed; to remove the ${option}, pass --${option} "".`,
    );
  return text;
}

export function summarizeBlog(platen: Platen, blog: Blog): string {
  const { posts, files, bytes, komments, messages, webhooks, keys } = measureBlog(platen, blog);
  const numbers = [
    counted(posts, "post"),
    `${counted(files, "file")} (${grouped(Math.ceil(bytes / 1000))} KB)`,
    counted(komments, "komment"),
    counted(messages, "message"),
    counted(webhooks, "webhook"),
    counted(keys, "key"),
  ];
  return `the blog ${blog.slug} (${numbers.join(", ")})`;
}

/** @param blogs all blogs that `remove` removes */
export async function removeAndReport(
  platen: Platen,
  blogs: Blog[],
  remove: (options: RemovalOptions) => Promise<string>,
) {
  // Before the blogs and their signing keys are deleted.
  for (const blog of blogs.filter(({ reach }) => reach?.fediverse))
    await announceRemoval(platen, blog, (done, total) =>
      showStatus(done === total ? "" : `Notifying followers: server ${done} of ${total}`),
    );
  const previousHome = homeBlog(platen)?.id;
  const urls = new Map(listBlogs(platen).map((blog) => [blog.id, blogUrl(platen, blog)]));
  const folder = await withAbortOnSignal(new Error("aborted"), (signal) =>
    remove({ signal }).catch((error) => {
      if (error !== signal.reason) throw error;
      throw new CommandError(
        unfinishedRemovals(platen).length === 0
          ? "The removal was stopped before anything was removed; nothing has changed."
          : "The removal was stopped halfway, and the pages are offline. To finish it, run the same command again, or start the server.",
      );
    }),
  );
  await print(`Removed; a copy is in ${folder}`);
  const store = mediaStore(platen);
  if (store) await print(`The media files stay at ${store.address}.`);
  const home = homeBlog(platen);
  if (!home) return await print("No blogs are left. To add one, run: platen blog add");
  if (home.id === previousHome) return;
  const [before, now] = [urls.get(home.id), blogUrl(platen, home)];
  const change = before === now ? "" : ` (before: ${before})`;
  await print(`The home blog is now ${home.slug}, at ${now}${change}`);
}
