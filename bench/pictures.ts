/**
 * Uploads 61 pictures at once to a server with PLATEN_MEMORY=512, and reads pages at the same time. Prints
 * the peak memory of server and decoder, the response times of pages, and whether all thumbnails exist at the
 * end:
 * `bun bench/pictures.ts`, or `bun bench/pictures.ts dist/platen` for the executable.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { childrenOf, residentMemory } from "./processes";
import { quantile } from "./statistics";

const MEGABYTE = 1_048_576;
const data = join(mkdtempSync(join(tmpdir(), "platen-bench-")), "data");
const program = process.argv[2]
  ? [process.argv[2]]
  : [process.execPath, join(import.meta.dir, "../src/main.ts")];
const env = { ...process.env, PLATEN_DATA: data, PLATEN_PORT: "0", PLATEN_MEMORY: "512" };

const pictures = await samples();
run("setup", "--email", "ada@example.com", "--title", "Ada");
const key = /platen_[\w-]+/.exec(run("key", "add", "--account", "ada@example.com"))?.[0];
const server = Bun.spawn([...program, "serve"], { env, stdout: "pipe", stderr: "inherit" });
const printed = new TextDecoder().decode((await server.stdout.getReader().read()).value);
const url = /http:\/\/[\d.:]+/.exec(printed)?.[0] as string;

const peaks = { server: 0, decoder: 0, together: 0 };
const watch = setInterval(sampleMemory, 50);
const pages: number[] = [];
let isOver = false;
const reading = readPages();
const started = performance.now();
const answers = await Promise.all(pictures.map((picture, number) => upload(picture, number)));
console.log(
  `${answers.length} uploads answered in ${seconds()}: ${tally(answers.map(({ status }) => status))}`,
);
const thumbnails = await Promise.all(answers.map(({ url }) => thumbnailOf(url)));
console.log(`all sizes asked for were there in ${seconds()}: ${tally(thumbnails)}`);
isOver = true;
await reading;
clearInterval(watch);
const quantileText = (share: number) => `${quantile(pages, share).toFixed(1)} ms`;
console.log(
  `${pages.length} pages: median ${quantileText(0.5)}, p99 ${quantileText(0.99)}, longest ${quantileText(0.9999)}`,
);
for (const [name, peak] of Object.entries(peaks))
  console.log(`${name}: at most ${Math.round(peak / MEGABYTE)} MB`);
server.kill();
await server.exited;
rmSync(join(data, ".."), { recursive: true });
process.exit(0);

function run(...args: string[]): string {
  return Bun.spawnSync([...program, ...args], { env, stdin: "ignore" }).stdout.toString();
}

async function samples(): Promise<Buffer[]> {
  const create = { width: 640, height: 480, channels: 3 as const, background: "#888" };
  const noise = { type: "gaussian" as const, mean: 128, sigma: 12 };
  const grain = await sharp({ create: { ...create, noise } })
    .png()
    .toBuffer();
  const createPicture = (megapixels: number) => {
    const height = Math.round(Math.sqrt((megapixels * 1e6 * 3) / 4));
    return sharp(grain).resize(Math.round((height * 4) / 3), height, { kernel: "linear" });
  };
  const [jpeg, turned, progressive, png, webp, lossless, avif, huge] = await Promise.all([
    createPicture(20).jpeg().toBuffer(),
    createPicture(20).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
    createPicture(20).jpeg({ progressive: true }).toBuffer(),
    createPicture(12).png({ palette: true, colours: 16, effort: 1 }).toBuffer(),
    createPicture(20).webp({ effort: 0 }).toBuffer(),
    createPicture(12).webp({ lossless: true, effort: 0 }).toBuffer(),
    createPicture(12).avif({ effort: 0 }).toBuffer(),
    createPicture(99).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
  ]);
  const times = (count: number, picture: Buffer) => Array<Buffer>(count).fill(picture);
  return [
    huge,
    ...times(10, avif),
    ...times(15, jpeg),
    ...times(15, turned),
    ...times(5, progressive),
    ...times(5, png),
    ...times(5, webp),
    ...times(5, lossless),
  ];
}

async function upload(picture: Buffer, number: number): Promise<{ status: string; url: string }> {
  const form = new FormData();
  form.append("attachment[file]", new File([new Uint8Array(picture)], `${number}.jpg`));
  const answer = await fetch(`${url}/api/v1/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const body = (await answer.json()) as { attachment?: { url: string } };
  if (!body.attachment) console.log(JSON.stringify(body));
  return { status: String(answer.status), url: body.attachment?.url ?? "" };
}

/** Repeats the request until the thumbnail exists, as a browser does. */
async function thumbnailOf(address: string): Promise<string> {
  if (!address) return "none";
  const thumbnail = `${address.slice(0, address.lastIndexOf("/"))}/sizes/thumb.webp`;
  for (;;) {
    const answer = await fetch(thumbnail, { signal: AbortSignal.timeout(300_000) }).catch(() => null);
    await answer?.arrayBuffer();
    if (answer && answer.status !== 503) return String(answer.status);
    await Bun.sleep(5000);
  }
}

async function readPages(): Promise<void> {
  while (!isOver) {
    const before = performance.now();
    await (await fetch(url)).text();
    pages.push(performance.now() - before);
    await Bun.sleep(20);
  }
}

function sampleMemory(): void {
  const own = residentMemory(server.pid);
  const theirs = childrenOf(server.pid).reduce((sum, pid) => sum + residentMemory(pid), 0);
  peaks.server = Math.max(peaks.server, own);
  peaks.decoder = Math.max(peaks.decoder, theirs);
  peaks.together = Math.max(peaks.together, own + theirs);
}

function tally(words: string[]): string {
  return [...Map.groupBy(words, (word) => word)].map(([word, all]) => `${all.length} × ${word}`).join(", ");
}

function seconds(): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
