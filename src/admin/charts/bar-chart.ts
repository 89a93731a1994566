import { type Html, html } from "../../text/html";
import { counted, grouped } from "../../text/numbers";

/** Of a bar and the space beside it, and of the highest, in the drawing's own units: the page stretches it. */
const STEP = 10;
const GAP = 2;
const HIGHEST = 100;
/** One that is not nothing is seen. */
const LOWEST = 1.5;

interface Chart {
  /** Of the page's other charts none has it. */
  id: string;
  title: string;
  /** What the labels are: "Day". */
  of: string;
  /** What is counted: "reading", and how many of it are called. */
  one: string;
  more?: string;
  /** In the order of the drawing. */
  bars: Bar[];
}

interface Bar {
  /** "12 Mar 2026" */
  label: string;
  count: number;
}

/** Bars side by side, and the same numbers as a table; where all are nothing, that alone. Sizes are attributes: the policy lets no style into the page. */
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
<svg class="bars" viewBox="0 0 ${bars.length * STEP} ${HIGHEST}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title>
<desc id="${id}-desc">${counted(all, one, more)} from ${first} to ${last}, ${counted(most, one, more)} at most. The numbers are in the table below.</desc>
${bars.map((bar, index) => drawn(bar, index, most, chart))}
</svg>
<p class="ends" aria-hidden="true"><span>${first}</span><span>${last}</span></p></div>
<details><summary>As a table</summary>
${barTable(chart)}
</details>
</figure>`;
}

function drawn({ label, count }: Bar, index: number, most: number, { one, more }: Chart): Html {
  const height = count === 0 ? 0 : Math.max(LOWEST, (HIGHEST * count) / most);
  return html`<rect x="${index * STEP + GAP / 2}" y="${rounded(HIGHEST - height)}" width="${STEP - GAP}" height="${rounded(height)}"><title>${label}: ${counted(count, one, more)}</title></rect>
`;
}

function barTable({ title, of, one, more = `${one}s`, bars }: Chart): Html {
  return html`<table class="numbers"><caption class="spoken">${title}</caption>
<thead><tr><th scope="col">${of}</th><th scope="col">${capital(more)}</th></tr></thead>
<tbody>
${bars.map(({ label, count }) => html`<tr><th scope="row">${label}</th><td>${grouped(count)}</td></tr>`)}
</tbody></table>`;
}

interface Rank {
  name: Html | string;
  count: number;
}

/** Names with how many of each, most first, and a bar for each: table and drawing are one. */
export function rankTable(title: string, of: string, counts: string, ranks: Rank[]): Html {
  const most = Math.max(1, ...ranks.map(({ count }) => count));
  return html`<table class="numbers ranks"><caption class="spoken">${title}</caption>
<thead><tr><th scope="col">${of}</th><th scope="col">${counts}</th></tr></thead>
<tbody>
${ranks.map(
  ({ name, count }) => html`<tr><th scope="row">${name}
<svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${rounded(Math.max(LOWEST, (100 * count) / most))}" height="1"/></svg></th><td>${grouped(count)}</td></tr>
`,
)}
</tbody></table>`;
}

function rounded(number: number): string {
  return String(Math.round(number * 100) / 100);
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
