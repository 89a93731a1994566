import { dice } from "../../test/support/dice";
import { someWords } from "./corpus-text";
import { type Server, send } from "./load";
import type { LoadRequest } from "./load-sender";
import { type Compared, mediansOf } from "./reading";
import { type Extent, openBare, openStage, type Stage } from "./stage";

export type WritingFigures = (Compared & { writers: number })[];

const WRITERS = [1, 16];
const CREATES = 300;
/** Bytes of a post, and words of a paragraph. */
const CONTENT = 5000;
const PARAGRAPH = 60;

export async function measureWriting(
  corpora: string,
  extent: Extent,
  tell: (line: string) => void,
): Promise<WritingFigures> {
  await using stage = await openStage(corpora, extent.small);
  await using bare = await openBare(stage, []);
  const rounds: WritingFigures[] = [];
  for (let round = 0; round <= extent.rounds; round++) {
    tell(`writing, round ${round} of ${extent.rounds}`);
    const figures = await createsOf(stage, bare, Math.ceil(CREATES * extent.share));
    // The first round is a warm-up.
    if (round > 0) rounds.push(figures);
  }
  return mediansOf(rounds);
}

async function createsOf(stage: Stage, bare: Server, count: number): Promise<WritingFigures> {
  const figures: WritingFigures = [];
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

export function creations({ owner }: Stage, path: string, count: number): LoadRequest[] {
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
