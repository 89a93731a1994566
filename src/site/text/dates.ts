import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../html";

type Reader = Pick<Blog, "language" | "timeZone">;

/** Writes instants as a blog's readers read dates: in its language and time zone. One for a whole page, as it is costly to make. */
export function dateWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { dateStyle: "long" });
}

/** With the time of day. */
export function timeWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { dateStyle: "long", timeStyle: "short" });
}

/** The day alone, where the year stands above. */
export function shortDateWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { month: "short", day: "numeric" });
}

function writer({ language, timeZone }: Reader, style: Intl.DateTimeFormatOptions): (at: Date) => Html {
  const format = new Intl.DateTimeFormat(language, { ...style, timeZone });
  return (at) =>
    html`<time class="dt-published" datetime="${withOffset(at, timeZone)}">${format.format(at)}</time>`;
}

/** "2026-03-01T13:00:00+01:00" */
function withOffset(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return local.toString({ timeZoneName: "never", smallestUnit: "second" });
}
