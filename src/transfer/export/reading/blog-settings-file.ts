import type { Blog } from "../../../blogs/blogs";
import type { Platen } from "../../../platen";
import { chosenPage, homeCategory } from "../../../posts/linked/blog-home";
import { linksOf } from "../../../posts/linked/navigation";
import { withBase } from "../../../posts/post/mf2-properties";

/** What its owner has set of a blog, but for what is secret. Pages and categories are named by their addresses. */
export function blogSettings(platen: Platen, blog: Blog) {
  return {
    title: blog.title,
    slug: blog.slug,
    domain: blog.domain,
    description: blog.description,
    language: blog.language,
    time_zone: blog.timeZone,
    theme: blog.theme,
    accent: blog.accent,
    header: withBase(blog.headerHtml, platen.config.url),
    footer: withBase(blog.footerHtml, platen.config.url),
    css: blog.cssSource ?? (blog.customCss || null),
    profiles: blog.profiles,
    home: homeAddress(platen, blog),
    navigation: linksOf(platen, blog).map(({ link, address }) => ({ label: link.label, to: address })),
    posts_a_page: blog.postsAPage,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    blocked: blog.blocked,
  };
}

/** "" for the newest posts. */
function homeAddress(platen: Platen, blog: Blog): string {
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  return page ? `/${page.slug}` : category ? `/category/${category.slug}` : "";
}
