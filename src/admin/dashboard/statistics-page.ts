import { kommentsByMonth } from "../../komments/komment-list";
import { mediaTotalsOf } from "../../media/files/blobs";
import { linkedPosts } from "../../posts/linked/link-targets";
import {
  type Figure,
  lastDays,
  mostReadPosts,
  postsByMonth,
  referringHosts,
  viewsByDay,
} from "../../posts/statistics/view-figures";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { parentLink } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { byteWords, postName } from "../words/words";
import { barChart, rankTable } from "./bar-chart";

/** Available periods in days. */
const PERIODS = [30, 90];
const MONTHS = 12;
const MAX_RANKS = 10;

/** The views of the last month, for Home. */
export function viewsOfMonth({ call: { platen }, blog }: BlogVisit): Html {
  const span = PERIODS[0] as number;
  const days = lastDays(platen, blog, span);
  return html`<section><div class="section-head"><h2>Views</h2><a href="${blogPath(blog, "/statistics")}">Statistics</a></div>
${barChart({
  ...{ id: "by-day", title: `Last ${span} days`, of: "Day", one: "view" },
  bars: labelled(viewsByDay(platen, blog, days), dayWords),
})}
</section>`;
}

export function statisticsMain(visit: BlogVisit): Html {
  const { call, blog } = visit;
  const { platen } = call;
  const asked = Number(call.url.searchParams.get("days"));
  const span = PERIODS.find((one) => one === asked) ?? (PERIODS[0] as number);
  const days = lastDays(platen, blog, span);
  const { files, bytes } = mediaTotalsOf(platen, blog);
  return html`${parentLink(blogPath(blog), "Home")}
<div class="page-head"><h1>Statistics</h1></div>
<section><h2 id="views">Views</h2>
${spans(visit, span)}
${barChart({
  ...{ id: "by-day", title: `Last ${span} days`, of: "Day", one: "view" },
  bars: labelled(viewsByDay(platen, blog, days), dayWords),
})}
</section>
<div class="beside">
<section><h2>Most read</h2>
${posts(visit, days)}
</section>
<section><h2>Where readers came from</h2>
${hosts(visit, days)}
</section>
</div>
<div class="beside">
<section><h2>Posts by month</h2>
${barChart({
  ...{ id: "by-month", title: "Last 12 months", of: "Month", one: "post" },
  bars: labelled(postsByMonth(platen, blog, MONTHS), monthWords),
})}
</section>
<section><h2>Komments by month</h2>
${barChart({
  ...{ id: "komments-by-month", title: "Last 12 months", of: "Month", one: "komment" },
  bars: labelled(kommentsByMonth(platen, blog, MONTHS), monthWords),
})}
</section>
</div>
<section><h2>Media</h2>
<p><a href="${blogPath(blog, "/media")}">${counted(files, "file")}</a>, ${byteWords(bytes)} in total.</p>
</section>`;
}

function spans({ blog }: BlogVisit, span: number): Html {
  return html`<nav class="spans" aria-label="Period">
${PERIODS.map((one) => html`<a class="button quiet" href="${blogPath(blog, "/statistics")}?days=${one}#views"${one === span && html` aria-current="true"`}>${one} days</a>`)}
</nav>`;
}

function posts({ call, blog }: BlogVisit, days: string[]): Html {
  const figures = mostReadPosts(call.platen, blog, days, MAX_RANKS);
  const named = linkedPosts(
    call.platen,
    blog,
    figures.map(({ of }) => of),
  );
  const ranks = figures.flatMap(({ of, count }) => {
    const post = named.get(of);
    return post?.deletedAt === null
      ? [{ name: html`<a href="${blogPath(blog, `/posts/${of}`)}">${postName(post)}</a>`, count }]
      : [];
  });
  if (ranks.length === 0) return html`<p class="hint">No views in this period.</p>`;
  return rankTable("Most read posts", "Post", "Views", ranks);
}

function hosts({ call, blog }: BlogVisit, days: string[]): Html {
  const figures = referringHosts(call.platen, blog, days, MAX_RANKS);
  if (figures.length === 0) return html`<p class="hint">No referring sites in this period.</p>`;
  const ranks = figures.map(({ of, count }) => ({ name: of || "Others", count }));
  return html`${rankTable("Where readers came from", "Site", "Views", ranks)}
<p class="hint">Direct visits and hidden referrers aren't listed.</p>`;
}

function labelled(figures: Figure<string>[], words: (of: string) => string) {
  return figures.map(({ of, count }) => ({ label: words(of), count }));
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
const dayWords = (day: string) => dayFormat.format(new Date(`${day}T00:00:00Z`));
const monthWords = (month: string) => monthFormat.format(new Date(`${month}-01T00:00:00Z`));
