import type { Blog } from "../../../blogs/blogs";
import type { Platen } from "../../../platen";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import { chosenPage, homeCategory, resolveNavigation } from "../../../posts/reading/navigation-and-home";
import type { ExportContext } from "../export-blog";

export async function writeSettingsFile({ platen, blog, out }: ExportContext, at: Date): Promise<void> {
  await out.text("blog.json", at, `${JSON.stringify(settingsJson(platen, blog), null, 2)}\n`);
}

function settingsJson(platen: Platen, blog: Blog) {
  const { title, slug, domain, description, language, theme, accent, profiles, design, blocked } = blog;
  const navigation = resolveNavigation(platen, blog);
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  const categoryPath = category ? `/category/${category.slug}` : "";
  return {
    ...{ title, slug, domain, description, language, time_zone: blog.timeZone, theme, accent },
    header: insertBaseUrl(blog.headerHtml, platen.config.url),
    footer: insertBaseUrl(blog.footerHtml, platen.config.url),
    ...{ css: blog.cssSource ?? (blog.customCss || null), profiles },
    home: page ? `/${page.slug}` : categoryPath,
    navigation: navigation.map(({ link, address }) => ({ label: link.label, to: address })),
    ...{ design, posts_a_page: blog.postsAPage, feed_content: blog.feedContent },
    ...{ komments_open: blog.kommentsOpen, komments_moderated: blog.kommentsModerated, blocked },
  };
}
