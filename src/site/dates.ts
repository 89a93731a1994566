import type { Blog } from "../blogs/blogs";
import { type Html, html } from "../html";

/** Writes instants as a blog's readers read dates: in its language and time zone. One for a whole page, as it is costly to make. */
export function dateWriter(blog: Pick<Blog, "language" | "timeZone">): (at: Date) => Html {
  const format = new Intl.DateTimeFormat(blog.language, { dateStyle: "long", timeZone: blog.timeZone });
  return (at) =>
    html`<time class="dt-published" datetime="${withOffset(at, blog.timeZone)}">${format.format(at)}</time>`;
}

/** "2026-03-01T13:00:00+01:00" */
function withOffset(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return local.toString({ timeZoneName: "never", smallestUnit: "second" });
}
