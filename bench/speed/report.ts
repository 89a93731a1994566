import type { GrowthFigures } from "./growth";
import type { Loaded } from "./load";
import type { ReadingFigures } from "./reading";
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
/** Number of connections for the comparison with the minimal server. */
const COMPARED_AT = 16;

/** Targets as a ratio to the minimal server: first after a write, and cached. Pages are rendered after each write. */
const TO_REACH: Record<string, { first?: number; again: number }> = {
  "post page": { again: 0.75 },
  "home page": { again: 0.75 },
  "RSS feed": { again: 0.75 },
  "JSON Feed": { again: 0.75 },
  "API list of 20 with content": { first: 0.7, again: 1.5 },
  "API list of 20 without content": { first: 0.5, again: 1 },
  "API read of one": { first: 0.5, again: 0.9 },
  "API search": { first: 0.5, again: 0.5 },
};
const CREATES_TO_REACH: Record<number, number> = { 1: 0.5, 16: 1 };
const MAX_GROWTH = 1.5;
const MAX_SEARCH_GROWTH = 2;

/** Columns that `--check` compares. Values below `from` count as `from`. */
const HELD: { column: RegExp; better: "more" | "less"; from?: number }[] = [
  { column: /^Of bare$/, better: "more" },
  { column: /^A second$/, better: "more" },
  { column: /^Times/, better: "less", from: 1.3 },
  { column: /^Measured$/, better: "less" },
];
const TOLERATED = 1.15;

/** A bar of the chart. */
export interface Ratio {
  name: string;
  value: number;
  toReach?: number;
}

export function ratiosOf({ reading, writing }: Figures): Ratio[] {
  const { again, first } = reading;
  return [
    ...again
      .filter(({ connections }) => connections === COMPARED_AT)
      .map((compared) => ({
        name: compared.name,
        value: ratio(compared),
        toReach: TO_REACH[compared.name]?.again,
      })),
    ...first.map((compared) => ({
      name: `${compared.name}, first time`,
      value: ratio(compared),
      toReach: TO_REACH[compared.name]?.first,
    })),
    ...writing.creates.map((compared) => ({
      name: createName(compared.writers),
      value: ratio(compared),
      toReach: CREATES_TO_REACH[compared.writers],
    })),
  ];
}

function createName(writers: number): string {
  return `create, ${writers === 1 ? "one writer" : `${writers} writers`}`;
}

/** Compares CPU time, which other work on the machine affects least. */
function ratio({ platen, bare }: { platen: Loaded; bare: Loaded }): number {
  return bare.processor / platen.processor;
}

export function reportOf(figures: Figures, extent: Extent, about: string[]): string {
  const [small, large] = [extent.small, extent.large].map((posts) => posts.toLocaleString("en"));
  return `# Benchmarks

${about.join(" ")}

\`bun run bench\` measures again and writes this page; \`bun run bench --check\` compares with it and reports what got worse by
more than 15 %. The test blogs (\`bench/speed/corpus.ts\`) have posts of 1–15 KB of HTML, ${small} of them unless stated. Ratios
say more than absolute figures, which depend on the machine.

![Cost of each request compared with a minimal server](benchmarks.svg)

## Compared with a minimal server

CPU time per request in milliseconds. The minimal server is \`Bun.serve\` sending the same bytes from memory; for the API, one
prepared statement of bun:sqlite and \`JSON.stringify\`; for a create, one commit of the row and its search index with
\`synchronous=FULL\`. "Of bare" is its cost divided by Platen's: more is better. "Again" means cached, with 16 connections.
"First time" means after a write to another post, one request at a time. Medians of ${extent.rounds}, in alternation.

${table(["Request", "Bare", "Platen", "Of bare", "To reach"], comparedRows(figures))}

## Load

Cached responses with ${[...new Set(figures.reading.again.map(({ connections }) => connections))].join(", ")} connections. Times in milliseconds.

${table(
  [
    "Request",
    "Connections",
    "Platen: requests/s",
    "median",
    "p99",
    "processor",
    "Bare: requests/s",
    "median",
    "p99",
    "processor",
  ],
  figures.reading.again.map(({ name, connections, platen, bare }) => [
    name,
    String(connections),
    ...loadedCells(platen),
    ...loadedCells(bare),
  ]),
)}

## Uploads

A ${extent.picture} MP JPEG: time until the response, the thumbnail and all sizes (made on request) are there, compared with sharp
making the thumbnail alone. In milliseconds.

${table(["Until", "Elapsed", "Processor", "Times elapsed", "Times processor", "To reach"], uploadRows(figures.writing))}

## Webhooks

${table(
  ["Deliveries", "A second", "To reach"],
  [
    ["to one address", digits(figures.webhooks.rate), reached(figures.webhooks.rate, { least: 500 })],
    [
      "while pages are read",
      digits(figures.webhooks.rateMeanwhile),
      reached(figures.webhooks.rateMeanwhile, { least: 100 }),
    ],
  ],
)}

${table(
  ["Home page at 16 connections", "p99 before, ms", "p99 meanwhile, ms", "Times", "To reach"],
  [webhookRow(figures.webhooks)],
)}

## Growth

The same request with ${large} and ${small} posts, in milliseconds, one at a time: first after a write, and again. A "new word"
has not been searched since the start; it is in a fifth of all posts, a "rare" one in 75 of ${large}.

${table(
  [
    "Request",
    `First: ${small}`,
    large as string,
    "Times",
    `Again: ${small}`,
    large as string,
    "Times again",
    "To reach",
  ],
  growthRows(figures),
)}

## Small machines

${table(["What", "Measured", "To reach"], machineRows(figures, large as string))}
`;
}

function comparedRows({ reading, writing }: Figures): string[][] {
  const row = (name: string, compared: { platen: Loaded; bare: Loaded }, least?: number) => [
    name,
    digits(compared.bare.processor),
    digits(compared.platen.processor),
    digits(ratio(compared)),
    reached(ratio(compared), { least }),
  ];
  return [
    ...reading.again
      .filter(({ connections }) => connections === COMPARED_AT)
      .map((compared) => row(`${compared.name}, again`, compared, TO_REACH[compared.name]?.again)),
    ...reading.first.map((compared) =>
      row(`${compared.name}, first time`, compared, TO_REACH[compared.name]?.first),
    ),
    ...writing.creates.map((compared) =>
      row(createName(compared.writers), compared, CREATES_TO_REACH[compared.writers]),
    ),
  ];
}

function loadedCells({ rate, median, p99, processor }: Loaded): string[] {
  return [Math.round(rate).toLocaleString("en"), digits(median), digits(p99), digits(processor)];
}

function uploadRows({ upload: { bare, answer, thumbnail, allSizes } }: WritingFigures): string[][] {
  const row = (name: string, spent: typeof bare, most: number) => [
    name,
    digits(spent.elapsed),
    digits(spent.processor),
    digits(spent.elapsed / bare.elapsed),
    digits(spent.processor / bare.processor),
    reached(spent.processor / bare.processor, { most }),
  ];
  return [
    ["sharp alone: thumbnail", digits(bare.elapsed), digits(bare.processor), "", "", ""],
    row("answer", answer, 1.25),
    row("thumbnail", thumbnail, 1.25),
    row("all sizes", allSizes, 2.2),
  ];
}

function webhookRow({ p99: { before, meanwhile } }: WebhookFigures): string[] {
  const times = meanwhile / before;
  return [
    "while deliveries wait",
    digits(before),
    digits(meanwhile),
    digits(times),
    reached(times, { most: 2 }),
  ];
}

function growthRows({ growth }: Figures): string[][] {
  const { publish } = growth;
  return [
    ...growth.first.map((first, at) => {
      const again = growth.again[at] as typeof first;
      const most = first.name.includes("search") ? MAX_SEARCH_GROWTH : MAX_GROWTH;
      const [times, timesAgain] = [first.large / first.small, again.large / again.small];
      return [
        first.name,
        digits(first.small),
        digits(first.large),
        digits(times),
        digits(again.small),
        digits(again.large),
        digits(timesAgain),
        reached(Math.max(times, timesAgain), { most }),
      ];
    }),
    [
      publish.name,
      digits(publish.small),
      digits(publish.large),
      digits(publish.large / publish.small),
      "",
      "",
      "",
      reached(publish.large / publish.small, { most: MAX_GROWTH }),
    ],
  ];
}

function machineRows({ machine, growth, writing }: Figures, large: string): string[][] {
  const { executable, start, idle, loaded } = machine;
  const row = (name: string, value: number, most?: number) => [name, digits(value), reached(value, { most })];
  return [
    row("executable, MB (million bytes)", executable / 1e6, 145),
    row("start to the first answer, an empty folder, ms", start.empty, 100),
    row(`start to the first answer, ${large} posts, ms`, start.large, 200),
    row(`memory idle, ${large} posts, MiB`, idle.memory / MEGABYTE, 80),
    row(`processor idle, ${large} posts, %`, idle.processor * 100, 0.2),
    row(`memory at most, 64 connections, ${large} posts, MiB`, loaded.large / MEGABYTE, 155),
    row("memory at most, times that of the small blog", loaded.large / loaded.small, 1.3),
    row("a 5 KB create in the write-ahead log, KB", growth.logBytes.small / 1000, 40),
    row(`a 5 KB create in the write-ahead log, ${large} posts, KB`, growth.logBytes.large / 1000, 40),
    row("a bare commit of 5 KB, ms", writing.commit),
  ];
}

/** "≥ 0.75", and whether it was not. */
function reached(value: number, { least, most }: { least?: number; most?: number }): string {
  if (least !== undefined) return value >= least ? `≥ ${least}` : `≥ ${least}: missed`;
  if (most !== undefined) return value <= most ? `≤ ${most}` : `≤ ${most}: missed`;
  return "";
}

/** Formats with three significant digits, or all digits before the point. */
function digits(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function table(columns: string[], rows: string[][]): string {
  const lines = [columns, columns.map((_, at) => (at === 0 ? ":--" : "--:")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** @returns sentences about figures that got worse by more than 15 % */
export function worsened(before: string, now: string): string[] {
  const present = heldFigures(now);
  return [...heldFigures(before)].flatMap(([name, { value, better, from = 0 }]) => {
    const found = present.get(name)?.value;
    if (found === undefined) return [`${name}: is no longer measured`];
    const [old, new_] = [Math.max(from, value), Math.max(from, found)];
    const times = better === "less" ? new_ / old : old / new_;
    return times > TOLERATED ? [`${name}: ${found}, was ${value}`] : [];
  });
}

/** "section: row, column" → its figure. */
function heldFigures(report: string) {
  const held = new Map<string, { value: number } & (typeof HELD)[number]>();
  let [section, columns] = ["", [] as string[]];
  for (const line of report.split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!line.startsWith("| ")) columns = [];
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
