import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";

type Reader = Pick<Blog, "language" | "timeZone">;

/** Creating a writer is slow, so use one per page. */
export function dateWriter(blog: Reader & Pick<Blog, "design">): (at: Date) => Html {
  const { dates = "long" } = blog.design;
  return writer(blog, { dateStyle: dates as "long" | "medium" | "short" });
}

export function timeWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { dateStyle: "long", timeStyle: "short" });
}

export function shortDateWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { month: "short", day: "numeric" });
}

function writer({ language, timeZone }: Reader, style: Intl.DateTimeFormatOptions): (at: Date) => Html {
  const format = new Intl.DateTimeFormat(language, { ...style, timeZone });
  return (at) =>
    html`<time class="dt-published" datetime="${withOffset(at, timeZone)}">${format.format(at)}</time>`;
}

function withOffset(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return local.toString({ timeZoneName: "never", smallestUnit: "second" });
}
