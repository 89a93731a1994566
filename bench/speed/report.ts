import type { BothSizes, GrowthFigures } from "./growth";
import type { LoadFigures } from "./load";
import { CONNECTIONS, type ReadingFigures } from "./reading";
import type { MachineFigures } from "./small-machine";
import type { Extent } from "./stage";
import type { WebhookFigures } from "./webhook-rate";
import type { WritingFigures } from "./writing";

export interface Figures {
  reading: ReadingFigures;
  writing: WritingFigures;
  webhooks: WebhookFigures;
  growth: GrowthFigures;
  machine: MachineFigures;
}

const MEGABYTE = 1_048_576;
const COMPARED_AT = 16;

/** Targets as a ratio to the minimal server. */
const TO_REACH: Record<string, number> = { "post page": 0.75, "home page": 0.75 };
const CREATE_TO_REACH = 0.3;
/** Targets at the large blog in milliseconds: for most requests, and for slow ones such as searches. */
const MAX_MS = 50;
const MAX_SLOW_MS = 600;

/** Columns that `--check` compares. Values below `from` count as `from`. */
const HELD: { column: RegExp; better: "more" | "less"; from?: number }[] = [
  { column: /^Of bare$/, better: "more" },
  { column: /^A second$/, better: "more" },
  { column: /^Times/, better: "less", from: 1.3 },
  { column: /^Measured$/, better: "less" },
];
const TOLERATED = 1.15;

export interface Ratio {
  name: string;
  value: number;
  toReach?: number;
}

export function ratiosOf({ reading, writing }: Figures): Ratio[] {
  return compareServers({ reading, writing }).map(({ name, figures, toReach }) => ({
    name,
    value: ratio(figures),
    toReach,
  }));
}

function compareServers({ reading, writing }: Pick<Figures, "reading" | "writing">) {
  return [
    ...reading
      .filter(({ connections }) => connections === COMPARED_AT)
      .map((figures) => ({ name: figures.name, figures, toReach: TO_REACH[figures.name] })),
    ...writing.map((figures) => ({
      name: createName(figures.writers),
      figures,
      toReach: CREATE_TO_REACH,
    })),
  ];
}

function createName(writers: number): string {
  return `create, ${writers === 1 ? "one writer" : `${writers} writers`}`;
}

/** Compares CPU time, because other work on the machine affects CPU time least. */
function ratio({ platen, bare }: { platen: LoadFigures; bare: LoadFigures }): number {
  return bare.processor / platen.processor;
}

export function reportOf(figures: Figures, extent: Extent, about: string[]): string {
  const [small, large] = [extent.small, extent.large].map((posts) => posts.toLocaleString("en"));
  return `# Benchmarks

${about.join(" ")}

\`bun run bench\` repeats the measurements up to *Imports and exports*. The test blogs (\`bench/speed/corpus.ts\`)
have ${small} posts of 1–15 KB of HTML, unless stated otherwise. Compare ratios, not absolute figures.

![Cost of each request compared with a minimal server](benchmarks.svg)

## Compared with a minimal server

CPU time per request in milliseconds, the median of ${extent.rounds} rounds. Reads use 16 connections, and Platen's
response cache. "Bare" is a minimal server. "Of bare" is the minimal server's CPU time divided by Platen's: higher is better. The minimal
server does only this:

- pages and feeds: \`Bun.serve\` sends the same bytes from memory
- API reads: one prepared statement of bun:sqlite, and \`JSON.stringify\`
- create: one commit of a row and its search index with \`synchronous=FULL\`

${table(["Request", "Bare", "Platen", "Of bare", "Target"], comparedRows(figures))}

## Load

Cached responses over ${Math.max(...CONNECTIONS)} connections. Median and p99 are in milliseconds.

${table(
  ["Request", "Requests/s", "Median", "p99"],
  figures.reading
    .filter(({ connections }) => connections === Math.max(...CONNECTIONS))
    .map(({ name, platen }) => [name, ...loadedCells(platen)]),
)}

## Webhooks

${table(
  ["Deliveries", "A second", "Target"],
  [
    ["to one address", digits(figures.webhooks.rate), ""],
    [
      "while pages are read",
      digits(figures.webhooks.rateMeanwhile),
      reachedText(figures.webhooks.rateMeanwhile, { least: 100 }),
    ],
  ],
)}

${table(
  ["Home page at 16 connections", "p99 before, ms", "p99 during, ms", "Times", "Target"],
  [webhookRow(figures.webhooks)],
)}

## Growth

Duration of the same request with ${small} and with ${large} posts, in milliseconds. "Times" is the second figure divided
by the first. Each read follows a write, so it is not cached. Searched words are in 12 to 30 % of all posts, and most "rare" words
in fewer than 80 of ${large} posts. "New" words were not searched before. With ${large} posts, the target is at most
${MAX_MS} ms, or ${MAX_SLOW_MS} ms for searches, deep and last pages, and lists of one post type.

${table(["Request", small as string, large as string, "Times"], growthRows(figures))}

## Small machines

${table(["What", "Measured", "Target"], machineRows(figures, large as string))}
`;
}

function comparedRows(figures: Figures): string[][] {
  return compareServers(figures).map(({ name, figures: { bare, platen }, toReach }) => [
    name,
    digits(bare.processor),
    digits(platen.processor),
    digits(ratio({ bare, platen })),
    reachedText(ratio({ bare, platen }), { least: toReach }),
  ]);
}

function loadedCells({ rate, median, p99 }: LoadFigures): string[] {
  return [Math.round(rate).toLocaleString("en"), digits(median), digits(p99)];
}

function webhookRow({ p99: { before, meanwhile } }: WebhookFigures): string[] {
  const times = meanwhile / before;
  return [
    "while webhooks are sent",
    digits(before),
    digits(meanwhile),
    digits(times),
    reachedText(times, { most: 2 }),
  ];
}

function growthRows({ growth: { first, publish } }: Figures): string[][] {
  const row = (grown: BothSizes) => {
    const most = /search|deep|last page|of a kind/.test(grown.name) ? MAX_SLOW_MS : MAX_MS;
    const large = digits(grown.large) + (grown.large > most ? ": missed" : "");
    return [grown.name, digits(grown.small), large, digits(grown.large / grown.small)];
  };
  return [...first, publish].map(row);
}

function machineRows({ machine }: Figures, large: string): string[][] {
  const { executable, start, idle, loaded } = machine;
  const row = (name: string, value: number, most?: number) => [
    name,
    digits(value),
    reachedText(value, { most }),
  ];
  return [
    row("executable, MB (million bytes)", executable / 1e6, 148),
    row("start to the first response, an empty folder, ms", start.empty, 80),
    row(`start to the first response, ${large} posts, ms`, start.large, 80),
    row(`memory idle, ${large} posts, MiB`, idle.memory / MEGABYTE, 75),
    row(`processor idle, ${large} posts, %`, idle.processor * 100, 0.2),
    row(`peak memory, 64 connections, ${large} posts, MiB`, loaded / MEGABYTE, 160),
  ];
}

function reachedText(value: number, { least, most }: { least?: number; most?: number }): string {
  if (least !== undefined) return value >= least ? `≥ ${least}` : `≥ ${least}: missed`;
  if (most !== undefined) return value <= most ? `≤ ${most}` : `≤ ${most}: missed`;
  return "";
}

function digits(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function table(columns: string[], rows: string[][]): string {
  const [head, ...body] = [columns, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [head, `|:--${"|--:".repeat(columns.length - 1)}|`, ...body].join("\n");
}

export function listRegressions(before: string, now: string): string[] {
  const present = comparedFigures(now);
  return [...comparedFigures(before)].flatMap(([name, { value, better, from = 0 }]) => {
    const found = present.get(name)?.value;
    if (found === undefined) return [`${name}: is no longer measured`];
    const [old, new_] = [Math.max(from, value), Math.max(from, found)];
    const times = better === "less" ? new_ / old : old / new_;
    return times > TOLERATED ? [`${name}: ${found}, was ${value}`] : [];
  });
}

function comparedFigures(report: string) {
  const held = new Map<string, { value: number } & (typeof HELD)[number]>();
  let [section, columns] = ["", [] as string[]];
  for (const line of report.split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!line.startsWith("|")) columns = [];
    else if (columns.length === 0) columns = cellsOf(line);
    else
      for (const [at, cell] of cellsOf(line).entries()) {
        const rule = HELD.find(({ column }) => column.test(columns[at] as string));
        const value = Number(cell);
        if (rule && cell !== "" && Number.isFinite(value))
          held.set(`${section}: ${cellsOf(line)[0]}, ${columns[at]}`, { value, ...rule });
      }
  }
  return held;
}

function cellsOf(line: string): string[] {
  return line
    .slice(2, -2)
    .split(" | ")
    .map((cell) => cell.trim());
}
