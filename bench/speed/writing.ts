import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { dice } from "../../test/support/dice";
import { uploadForm } from "../../test/support/pictures";
import { landscape } from "../../test/support/scenery";
import { processorTime } from "../processes";
import { median } from "../statistics";
import type { Picture } from "./bare-picture";
import { someWords } from "./corpus-text";
import { type Server, send } from "./load";
import type { Asked } from "./load-sender";
import { type Compared, mediansOf } from "./reading";
import { type Extent, openBare, openStage, type Stage } from "./stage";

export interface WritingFigures {
  /** One entry per number of writers. */
  creates: (Compared & { writers: number })[];
  /** Milliseconds of a synced commit of 5 KB. */
  commit: number;
  upload: UploadFigures;
}

/** Elapsed and CPU milliseconds. */
export interface UploadFigures {
  answer: Spent;
  thumbnail: Spent;
  allSizes: Spent;
  /** sharp making the same thumbnail. */
  bare: Spent;
}

interface Spent {
  elapsed: number;
  processor: number;
}

const WRITERS = [1, 16];
const CREATES = 300;
const COMMITS = 200;
const UPLOADS = 5;
/** Bytes of a post's content; words of its paragraphs. */
const CONTENT = 5000;
const PARAGRAPH = 60;

export async function measureWriting(
  corpora: string,
  extent: Extent,
  tell: (line: string) => void,
): Promise<WritingFigures> {
  await using stage = await openStage(corpora, extent.small);
  await using bare = await openBare(stage, []);
  const rounds: WritingFigures["creates"][] = [];
  const commits: number[] = [];
  for (let round = 0; round <= extent.rounds; round++) {
    tell(`writing, round ${round} of ${extent.rounds}`);
    const figures = await createsOf(stage, bare, Math.ceil(CREATES * extent.share));
    const began = performance.now();
    await (await fetch(`${bare.url}/commit/${COMMITS}`)).text();
    commits.push((performance.now() - began) / COMMITS);
    // The first is a warm-up.
    if (round > 0) rounds.push(figures);
  }
  tell("uploading");
  return {
    creates: mediansOf(rounds),
    commit: median(commits),
    upload: await measureUpload(stage, corpora, extent),
  };
}

async function createsOf(stage: Stage, bare: Server, count: number): Promise<WritingFigures["creates"]> {
  const figures: WritingFigures["creates"] = [];
  for (const writers of WRITERS) {
    const how = { connections: writers, count };
    figures.push({
      name: "create, durable",
      writers,
      platen: await send(stage, { requests: creations(stage, "/api/v1/posts", count), ...how }),
      bare: await send(bare, { requests: creations(stage, "/create", count), ...how }),
    });
  }
  return figures;
}

let created = 0;
const { spoken } = someWords();
const { below } = dice(3);

/** @returns posts of 5 KB with words of the corpus and different titles */
export function creations({ owner }: Stage, path: string, count: number): Asked[] {
  return Array.from({ length: count }, () => {
    let content = "";
    while (content.length < CONTENT)
      content += `<p>${Array.from({ length: PARAGRAPH }, () => spoken(below)).join(" ")}.</p>`;
    const post = { title: `Written ${++created}`, content, status: "published" };
    return {
      method: "POST",
      path,
      headers: { ...owner, "content-type": "application/json" },
      body: JSON.stringify({ post }),
    };
  });
}

/** @returns bytes that a post of 5 KB appends to the WAL, search index included */
export async function logBytesOfCreate(stage: Stage, count: number): Promise<number> {
  const log = join(stage.data, "platen.db-wal");
  await stage.ask("/posts?search=written");
  const before = existsSync(log) ? statSync(log).size : 0;
  await send(stage, { requests: creations(stage, "/api/v1/posts", count), connections: 1, count });
  await stage.ask("/posts?search=written");
  return (statSync(log).size - before) / count;
}

async function measureUpload(stage: Stage, corpora: string, extent: Extent): Promise<UploadFigures> {
  const picture = await pictureIn(corpora, extent.picture);
  const count = Math.ceil(UPLOADS * extent.share);
  const ours: Omit<UploadFigures, "bare">[] = [];
  // The first is a warm-up.
  for (let number = 0; number <= count; number++) ours.push(await uploaded(stage, picture, `${number}.jpg`));
  const bare = await bareThumbnails(picture, count);
  const of = (rounds: Spent[]) => ({
    elapsed: median(rounds.map(({ elapsed }) => elapsed)),
    processor: median(rounds.map(({ processor }) => processor)),
  });
  return {
    answer: of(ours.slice(1).map(({ answer }) => answer)),
    thumbnail: of(ours.slice(1).map(({ thumbnail }) => thumbnail)),
    allSizes: of(ours.slice(1).map(({ allSizes }) => allSizes)),
    bare: of(bare),
  };
}

async function pictureIn(corpora: string, megapixels: number): Promise<string> {
  mkdirSync(corpora, { recursive: true });
  const file = join(corpora, `${megapixels}-megapixels.jpg`);
  const height = Math.round(Math.sqrt((megapixels * 1e6 * 3) / 4));
  const colours: [string, string, string] = ["#7fa7c7", "#f7e3c0", "#2e4a3b"];
  if (!existsSync(file))
    await Bun.write(file, await landscape(Math.round((height * 4) / 3), height, colours, 1));
  return file;
}

/** Uploads a picture, and requests its sizes until they are there. */
async function uploaded(stage: Stage, picture: string, name: string): Promise<Omit<UploadFigures, "bare">> {
  const form = uploadForm(await Bun.file(picture).bytes(), name);
  const [began, before] = [performance.now(), processorTime(stage.pid)];
  const spent = () => ({
    elapsed: performance.now() - began,
    processor: processorTime(stage.pid) - before,
  });
  const { attachment } = await stage.ask("/attachments", { method: "POST", body: form });
  const answer = spent();
  const sizes = `${attachment.url.slice(0, attachment.url.lastIndexOf("/"))}/sizes`;
  await untilThere(`${sizes}/thumb.webp`);
  const thumbnail = spent();
  for (const width of [480, 960, 1440, 1920])
    if (width < attachment.width) await untilThere(`${sizes}/${width}.webp`);
  return { answer, thumbnail, allSizes: spent() };
}

async function untilThere(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (answer.ok) return;
    if (answer.status !== 503) throw new Error(`${url}: ${answer.status}`);
    await Bun.sleep(5);
  }
}

async function bareThumbnails(picture: string, count: number): Promise<Spent[]> {
  const asked: Picture = { file: picture, count };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare-picture.ts")], {
    stdin: new Blob([JSON.stringify(asked)]),
    stdout: "pipe",
  });
  return JSON.parse(await new Response(child.stdout).text());
}
