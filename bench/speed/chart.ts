import type { Ratio } from "./report";

const ROW = 26;
const NAMES = 300;
const WIDTH = 900;
const TOP = 34;
/** End of the axis; longer bars are cut and show their figure. */
const MAX_RATIO = 2;
const TICKS = [0, 0.5, 1, 1.5, 2];

/** At 1, the cost equals that of the minimal server. A line marks the target. */
export function chartOf(ratios: Ratio[]): string {
  const x = (value: number) => NAMES + (Math.min(value, MAX_RATIO) / MAX_RATIO) * (WIDTH - NAMES - 60);
  const height = TOP + ratios.length * ROW + 10;
  const axis = TICKS.map(
    (tick) =>
      `<line class="${tick === 1 ? "one" : "axis"}" x1="${x(tick)}" x2="${x(tick)}" y1="${TOP - 6}" y2="${height - 8}"/><text x="${x(tick)}" y="${TOP - 14}" text-anchor="middle">${tick === 1 ? "1 = bare" : tick}</text>`,
  );
  const bars = ratios.map(({ name, value, toReach }, at) => {
    const y = TOP + at * ROW;
    const mark =
      toReach && `<line class="mark" x1="${x(toReach)}" x2="${x(toReach)}" y1="${y}" y2="${y + 18}"/>`;
    return `<text x="${NAMES - 10}" y="${y + 13}" text-anchor="end">${name}</text><rect x="${NAMES}" y="${y + 2}" width="${x(value) - NAMES}" height="14" rx="2"/><text x="${x(value) + 6}" y="${y + 13}">${Number(value.toPrecision(2))}</text>${mark ?? ""}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Processor time a request: the bare cost divided by Platen's; more is better">
<style>
  text { font: 13px system-ui, sans-serif; fill: #222 }
  rect { fill: #2f6f9f }
  .axis { stroke: #ccc }
  .one { stroke: #555 }
  .mark { stroke: #c2410c; stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    rect { fill: #6aa9d8 }
    .axis { stroke: #444 }
    .one { stroke: #aaa }
    .mark { stroke: #fb923c }
  }
</style>
${[...axis, ...bars].join("\n")}
</svg>
`;
}
