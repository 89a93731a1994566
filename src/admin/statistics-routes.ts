import { kommentsByMonth } from "../komments/komment-list";
import { mediaTotalsOf } from "../media/files/blobs";
import { linkedPosts } from "../posts/reading/navigation-and-home";
import type { Count } from "../posts/view-counts";
import { lastDays, mostReadPosts, postsByMonth, referringHosts, viewsByDay } from "../posts/view-counts";
import { capitalize } from "../text/clean-text";
import { type Html, html } from "../text/html";
import { byteWords, counted, grouped } from "../text/numbers";
import { chartHead } from "./layout/admin-styles";
import { parentLink } from "./layout/page-controls";
import { type AdminPage, blogRoutes } from "./layout/routing";
import { type BlogVisit, blogPath } from "./layout/visit";
import { postName } from "./posts/post-states-and-rows";

export const statisticsRoutes = blogRoutes({ "GET /statistics": statisticsPage });

const PERIODS_IN_DAYS = [30, 90] as const;
const MONTHS = 12;
const MAX_RANKS = 10;

export function monthViews(visit: BlogVisit): Html {
  return html`<section><div class="section-head"><h2>Views</h2><a href="${blogPath(visit.blog, "/statistics")}">Statistics</a></div>
${viewsChart(visit, PERIODS_IN_DAYS[0])}
</section>`;
}

function viewsChart({ platen, blog }: BlogVisit, period: number): Html {
  const counts = viewsByDay(platen, blog, lastDays(platen, blog, period));
  return barChart({ id: "by-day", title: `Last ${period} days`, ...BY_DAY, one: "view", counts });
}

function statisticsPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  const requested = Number(call.url.searchParams.get("days"));
  const period = PERIODS_IN_DAYS.find((one) => one === requested) ?? PERIODS_IN_DAYS[0];
  const days = lastDays(platen, blog, period);
  const { files, bytes } = mediaTotalsOf(platen, blog);
  const main = html`${parentLink(blogPath(blog), "Home")}
<div class="page-head"><h1>Statistics</h1></div>
<section><h2 id="views">Views</h2>
<nav class="spans" aria-label="Period">
${PERIODS_IN_DAYS.map((one) => html`<a class="button quiet" href="${blogPath(blog, "/statistics")}?days=${one}#views"${one === period && html` aria-current="true"`}>${one} days</a>`)}
</nav>
${viewsChart(visit, period)}
</section>
<div class="beside">
<section><h2>Most read</h2>
${mostReadTable(visit, days)}
</section>
<section><h2>Where readers came from</h2>
${referrerTable(visit, days)}
</section>
</div>
<div class="beside">
<section><h2>Posts by month</h2>
${barChart({ id: "by-month", ...BY_MONTH, one: "post", counts: postsByMonth(platen, blog, MONTHS) })}
</section>
<section><h2>Komments by month</h2>
${barChart({ id: "komments-by-month", ...BY_MONTH, one: "komment", counts: kommentsByMonth(platen, blog, MONTHS) })}
</section>
</div>
<section><h2>Media</h2>
<p><a href="${blogPath(blog, "/media")}">${counted(files, "file")}</a>, ${byteWords(bytes)} in total.</p>
</section>`;
  return { title: "Statistics", place: "dashboard", head: chartHead, main };
}

function mostReadTable({ platen, blog }: BlogVisit, days: string[]): Html {
  const counts = mostReadPosts(platen, blog, days, MAX_RANKS);
  const ids = counts.map(({ key }) => key);
  const named = linkedPosts(platen, blog, ids);
  const ranks = counts.flatMap(({ key, count }) => {
    const post = named.get(key);
    return post?.deletedAt === null
      ? [{ name: html`<a href="${blogPath(blog, `/posts/${key}`)}">${postName(post)}</a>`, count }]
      : [];
  });
  if (ranks.length === 0) return html`<p class="hint">No views in this period.</p>`;
  return rankTable("Most read posts", "Post", ranks);
}

function referrerTable({ platen, blog }: BlogVisit, days: string[]): Html {
  const counts = referringHosts(platen, blog, days, MAX_RANKS);
  if (counts.length === 0) return html`<p class="hint">No referring sites in this period.</p>`;
  const ranks = counts.map(({ key, count }) => ({ name: key || "Others", count }));
  return html`${rankTable("Where readers came from", "Site", ranks)}
<p class="hint">Direct visits and hidden referrers aren't listed.</p>`;
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const monthFormat = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
const BY_DAY = {
  keyTitle: "Day",
  words: (day: string) => dayFormat.format(new Date(`${day}T00:00:00Z`)),
};
const BY_MONTH = {
  title: "Last 12 months",
  keyTitle: "Month",
  words: (month: string) => monthFormat.format(new Date(`${month}-01T00:00:00Z`)),
};

/** Width per bar in SVG units. CSS scales the chart to the page. */
const STEP = 10;
const GAP = 2;
const MAX_HEIGHT = 100;
/** In SVG units. Keeps the smallest bar visible. */
const MIN_HEIGHT = 1.5;

interface Chart {
  id: string;
  title: string;
  keyTitle: string;
  /** Singular noun for the counted things. */
  one: string;
  counts: Count<string>[];
  /** Text for a day or month in `counts`. */
  words: (key: string) => string;
}

/** Sizes are SVG attributes, because the CSP forbids inline styles. */
function barChart(chart: Chart): Html {
  const { id, title, one, counts, words } = chart;
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  const sum = html`<figcaption>${title}: <strong>${counted(all, one)}</strong></figcaption>`;
  if (all === 0) return html`<figure class="chart">${sum}</figure>`;
  const highest = Math.max(...counts.map(({ count }) => count));
  const [first = "", last = ""] = [counts.at(0), counts.at(-1)].map((bar) => bar && words(bar.key));
  return html`<figure class="chart">
${sum}
<div class="plot"><span class="most" aria-hidden="true">${counted(highest, one)}</span>
<svg class="bars" viewBox="0 0 ${counts.length * STEP} ${MAX_HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title>
<desc id="${id}-desc">${counted(all, one)} from ${first} to ${last}; highest: ${counted(highest, one)}. See the table below for the numbers.</desc>
${counts.map((bar, index) => chartBar(bar, index, highest, chart))}
</svg>
<p class="ends" aria-hidden="true"><span>${first}</span><span>${last}</span></p></div>
<details><summary>Show as table</summary>
${barTable(chart)}
</details>
</figure>`;
}

function chartBar({ key, count }: Count<string>, index: number, highest: number, chart: Chart): Html {
  const height = count === 0 ? 0 : Math.max(MIN_HEIGHT, (MAX_HEIGHT * count) / highest);
  return html`<rect x="${index * STEP + GAP / 2}" y="${rounded(MAX_HEIGHT - height)}" width="${STEP - GAP}" height="${rounded(height)}"><title>${chart.words(key)}: ${counted(count, chart.one)}</title></rect>
`;
}

function barTable({ title, keyTitle, one, counts, words }: Chart): Html {
  return html`<table class="numbers"><caption class="spoken">${title}</caption>
<thead><tr><th scope="col">${keyTitle}</th><th scope="col">${capitalize(one)}s</th></tr></thead>
<tbody>
${counts.map(({ key, count }) => html`<tr><th scope="row">${words(key)}</th><td>${grouped(count)}</td></tr>`)}
</tbody></table>`;
}

function rankTable(title: string, keyTitle: string, ranks: { name: Html | string; count: number }[]): Html {
  const highest = Math.max(1, ...ranks.map(({ count }) => count));
  return html`<table class="numbers ranks"><caption class="spoken">${title}</caption>
<thead><tr><th scope="col">${keyTitle}</th><th scope="col">Views</th></tr></thead>
<tbody>
${ranks.map(
  ({ name, count }) => html`<tr><th scope="row">${name}
<svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${rounded(Math.max(MIN_HEIGHT, (100 * count) / highest))}" height="1"/></svg></th><td>${grouped(count)}</td></tr>
`,
)}
</tbody></table>`;
}

function rounded(number: number): string {
  return String(Math.round(number * 100) / 100);
}
