import type { Blog } from "../../../blogs/blogs";
import type { Platen } from "../../../platen";
import { chosenPage, homeCategory, resolveNavigation } from "../../../posts/linked/navigation-and-home";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import type { ExportContext } from "../export-blog";

export async function writeSettingsFile(
  platen: Platen,
  blog: Blog,
  at: Date,
  { out }: ExportContext,
): Promise<void> {
  await out.text("blog.json", at, `${JSON.stringify(settingsJson(platen, blog), null, 2)}\n`);
}

function settingsJson(platen: Platen, blog: Blog) {
  return {
    title: blog.title,
    slug: blog.slug,
    domain: blog.domain,
    description: blog.description,
    language: blog.language,
    time_zone: blog.timeZone,
    theme: blog.theme,
    accent: blog.accent,
    header: insertBaseUrl(blog.headerHtml, platen.config.url),
    footer: insertBaseUrl(blog.footerHtml, platen.config.url),
    css: blog.cssSource ?? (blog.customCss || null),
    profiles: blog.profiles,
    home: homeAddress(platen, blog),
    navigation: resolveNavigation(platen, blog).map(({ link, address }) => ({
      label: link.label,
      to: address,
    })),
    design: blog.design,
    posts_a_page: blog.postsAPage,
    feed_content: blog.feedContent,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    blocked: blog.blocked,
  };
}

function homeAddress(platen: Platen, blog: Blog): string {
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  return page ? `/${page.slug}` : category ? `/category/${category.slug}` : "";
}
