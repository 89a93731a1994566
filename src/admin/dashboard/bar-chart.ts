import { type Html, html } from "../../text/html";
import { counted, grouped } from "../../text/numbers";

/** Width per bar in SVG units. CSS scales the chart to the page. */
const STEP = 10;
const GAP = 2;
const MAX_HEIGHT = 100;
/** Minimum bar height in SVG units: the smallest bar stays visible. */
const MIN_HEIGHT = 1.5;

interface Chart {
  /** An HTML id, unique on the page. */
  id: string;
  title: string;
  of: string;
  /** The noun for the counted things, singular and plural. */
  one: string;
  more?: string;
  bars: Bar[];
}

interface Bar {
  label: string;
  count: number;
}

/**
 * Renders bars and a table of the same numbers. Sizes are attributes, because the CSP forbids inline
 * styles.
 */
export function barChart(chart: Chart): Html {
  const { id, title, one, more, bars } = chart;
  const all = bars.reduce((sum, { count }) => sum + count, 0);
  const sum = html`<figcaption>${title}: <strong>${counted(all, one, more)}</strong></figcaption>`;
  if (all === 0) return html`<figure class="chart">${sum}</figure>`;
  const most = Math.max(...bars.map(({ count }) => count));
  const [first, last] = [bars.at(0)?.label, bars.at(-1)?.label];
  return html`<figure class="chart">
${sum}
<div class="plot"><span class="most" aria-hidden="true">${counted(most, one, more)}</span>
<svg class="bars" viewBox="0 0 ${bars.length * STEP} ${MAX_HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title>
<desc id="${id}-desc">${counted(all, one, more)} from ${first} to ${last}; highest: ${counted(most, one, more)}. See the table below for the numbers.</desc>
${bars.map((bar, index) => chartBar(bar, index, most, chart))}
</svg>
<p class="ends" aria-hidden="true"><span>${first}</span><span>${last}</span></p></div>
<details><summary>Show as table</summary>
${barTable(chart)}
</details>
</figure>`;
}

function chartBar({ label, count }: Bar, index: number, most: number, { one, more }: Chart): Html {
  const height = count === 0 ? 0 : Math.max(MIN_HEIGHT, (MAX_HEIGHT * count) / most);
  return html`<rect x="${index * STEP + GAP / 2}" y="${rounded(MAX_HEIGHT - height)}" width="${STEP - GAP}" height="${rounded(height)}"><title>${label}: ${counted(count, one, more)}</title></rect>
`;
}

function barTable({ title, of, one, more = `${one}s`, bars }: Chart): Html {
  return html`<table class="numbers"><caption class="spoken">${title}</caption>
<thead><tr><th scope="col">${of}</th><th scope="col">${capitalize(more)}</th></tr></thead>
<tbody>
${bars.map(({ label, count }) => html`<tr><th scope="row">${label}</th><td>${grouped(count)}</td></tr>`)}
</tbody></table>`;
}

interface Rank {
  name: Html | string;
  count: number;
}

/** Renders a ranking as a table with a bar in each row. */
export function rankTable(title: string, of: string, counts: string, ranks: Rank[]): Html {
  const most = Math.max(1, ...ranks.map(({ count }) => count));
  return html`<table class="numbers ranks"><caption class="spoken">${title}</caption>
<thead><tr><th scope="col">${of}</th><th scope="col">${counts}</th></tr></thead>
<tbody>
${ranks.map(
  ({ name, count }) => html`<tr><th scope="row">${name}
<svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${rounded(Math.max(MIN_HEIGHT, (100 * count) / most))}" height="1"/></svg></th><td>${grouped(count)}</td></tr>
`,
)}
</tbody></table>`;
}

function rounded(number: number): string {
  return String(Math.round(number * 100) / 100);
}

function capitalize(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
