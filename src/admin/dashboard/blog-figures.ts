import { kommentsByMonth } from "../../komments/komment-list";
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
import { barChart, rankTable } from "../charts/bar-chart";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";

/** What can be chosen, in days. */
const SPANS = [30, 90];
const MONTHS = 12;
/** Posts and sites that are named. */
const NAMED = 10;

/** How often it was read, what of it, where readers came from, and how much was written, there and below it. */
export function blogFigures(visit: BlogVisit): Html {
  const { call, blog } = visit;
  const { platen } = call;
  const asked = Number(call.url.searchParams.get("days"));
  const span = SPANS.find((one) => one === asked) ?? (SPANS[0] as number);
  const days = lastDays(platen, blog, span);
  return html`<section><h2 id="readings">Readings</h2>
${spans(visit, span)}
${barChart({
  ...{ id: "by-day", title: `The last ${span} days`, of: "Day", one: "reading" },
  bars: labelled(viewsByDay(platen, blog, days), dayWords),
})}
</section>
<div class="beside">
<section><h2>Read most</h2>
${posts(visit, days)}
</section>
<section><h2>Where readers came from</h2>
${hosts(visit, days)}
</section>
</div>
<div class="beside">
<section><h2>Posts by month</h2>
${barChart({
  ...{ id: "by-month", title: "The last twelve months", of: "Month", one: "post" },
  bars: labelled(postsByMonth(platen, blog, MONTHS), monthWords),
})}
</section>
<section><h2>Komments by month</h2>
${barChart({
  ...{ id: "komments-by-month", title: "The last twelve months", of: "Month", one: "komment" },
  bars: labelled(kommentsByMonth(platen, blog, MONTHS), monthWords),
})}
</section>
</div>`;
}

function spans({ blog }: BlogVisit, span: number): Html {
  return html`<nav class="spans" aria-label="How far back">
${SPANS.map((one) => html`<a class="button quiet" href="${blogPath(blog)}?days=${one}#readings"${one === span && html` aria-current="true"`}>${one} days</a>`)}
</nav>`;
}

/** A post that is gone since is left out. */
function posts({ call, blog }: BlogVisit, days: string[]): Html {
  const figures = mostReadPosts(call.platen, blog, days, NAMED);
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
  if (ranks.length === 0) return html`<p class="hint">Nobody has read a post in these days.</p>`;
  return rankTable("Posts that were read most", "Post", "Readings", ranks);
}

function hosts({ call, blog }: BlogVisit, days: string[]): Html {
  const figures = referringHosts(call.platen, blog, days, NAMED);
  if (figures.length === 0)
    return html`<p class="hint">No other site is known to have led anybody here in these days.</p>`;
  const ranks = figures.map(({ of, count }) => ({ name: of || "Others", count }));
  return html`${rankTable("Where readers came from", "Site", "Readings", ranks)}
<p class="hint">Whoever types the address, or whose browser does not tell, is in none of these.</p>`;
}

function labelled(figures: Figure<string>[], words: (of: string) => string) {
  return figures.map(({ of, count }) => ({ label: words(of), count }));
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
const dayWords = (day: string) => dayFormat.format(new Date(`${day}T00:00:00Z`));
const monthWords = (month: string) => monthFormat.format(new Date(`${month}-01T00:00:00Z`));
