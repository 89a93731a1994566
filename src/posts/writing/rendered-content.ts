import { inSharedTransaction, type NoPromise, unlessLocked } from "../../database/transactions";
import { conflict } from "../../errors";
import { prepareSgids } from "../../media/attachment-element";
import type { StoredBlob } from "../../media/files/blobs";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import type { ContentParts, RenderedContent, renderContent } from "../content/rendering";
import { giveUpLongContent, isLong, writeLongContent } from "../parts/long-contents";
import { type Present, presentOf } from "../parts/post-content";
import type { Content, PostRow, SavedBy } from "../post/post";
import { hasCode, LONGEST_RENDERED_HERE, nameOf, renderedBeside, type TextSource } from "./rendering-beside";

/** What content is made of, as it is known where it is saved. */
type Wanted = Omit<ContentParts, "blobs"> & { blobOf(sgid: string): StoredBlob | null };

type Version = Pick<PostRow, "id" | "contentVersion">;

/**
 * Gives what another thread has made of the very same before.
 * @throws NotRendered, which undoes the transaction around and is nobody's to catch but `withRendering`'s
 */
export interface Rendered {
  /** Who saves; null where nobody is named. */
  by: SavedBy | null;
  /** What the post says now, read once: each save of content makes another version of it. */
  present(platen: Platen, post: Version): Present;
  content(wanted: Wanted): RenderedContent;
  /** Where a long one has been written for the save; null for a short one, which is written with it. */
  longContent(platen: Platen, blog: { id: number }, content: Content): number | null;
}

class NotRendered extends Error {
  constructor(readonly render: () => Promise<void>) {
    super("Something is saved that was not rendered, or read, before.");
  }
}

/** How often the work may find the post, or the files it shows, changed meanwhile. */
const MOST_ROUNDS = 10;

/**
 * Does work that saves posts. Rendering takes another thread and time, saving is one transaction: so the work is done
 * until it comes to what was not rendered, which undoes it; then that is rendered, and the work done from its beginning.
 * What others have changed meanwhile it sees then: what was rendered counts only for the very same.
 * @param caller whose texts wait for each other, and for others' in turn
 * @param work changes nothing outside of a transaction, for it is done more than once
 * @throws Refusal: the work's own, invalid (content), busy, conflict
 */
export async function withRendering<Result>(
  platen: Platen,
  caller: TextSource,
  work: (rendered: Rendered) => NoPromise<Result>,
): Promise<Result> {
  prepareSgids(platen);
  const rendered = new RenderedSoFar(nameOf(caller), savedBy(caller), platen.isCommand);
  try {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      try {
        return await inSharedTransaction(platen, () => work(rendered));
      } catch (fault) {
        if (!(fault instanceof NotRendered)) throw fault;
        await fault.render();
        // To take in a long text and to save it would be one turn: others come between.
        await nextTurn();
      }
    }
    throw conflict("This was changed again and again while it was being saved. Send it once more.");
  } catch (fault) {
    rendered.giveUp(platen);
    throw fault;
  }
}

function savedBy({ key, account }: TextSource): SavedBy {
  return { name: account.name || account.email, app: key?.name ?? null };
}

/** What has been rendered, read and written so far for one work. */
class RenderedSoFar implements Rendered {
  private readonly sgids = new Set<string>();
  private is?: { parts: ContentParts; content: RenderedContent };
  private long?: { blogId: number; content: Content; id: number };
  /** By post. */
  private readonly presents = new Map<number, { contentVersion: number; is: Present }>();

  /** @param isAside nothing is rendered on the spot: a command has the database's lock then, and a server waits for it */
  constructor(
    private readonly source: string,
    readonly by: SavedBy | null,
    private readonly isAside = false,
  ) {}

  present(platen: Platen, { id, contentVersion }: Version): Present {
    const known = this.presents.get(id);
    if (known?.contentVersion === contentVersion) return known.is;
    const is = readInTurns(presentOf(platen, id));
    this.presents.set(id, { contentVersion, is });
    return is;
  }

  content({ blobOf, ...wanted }: Wanted): RenderedContent {
    const parts = { ...wanted, blobs: new Map([...this.sgids].map((sgid) => [sgid, blobOf(sgid)])) };
    if (this.is && Bun.deepEquals(this.is.parts, parts)) return this.is.content;
    const here = isShortHtml(parts) && !this.isAside ? renderedHere(parts, blobOf) : undefined;
    if (here && !hasCode(here)) return here;
    throw new NotRendered(() => this.render(parts));
  }

  private async render(parts: ContentParts): Promise<void> {
    const content = await renderedBeside(this.source, parts);
    if ("unknown" in content) for (const sgid of content.unknown) this.sgids.add(sgid);
    else this.is = { parts, content };
  }

  longContent(platen: Platen, blog: { id: number }, content: Content): number | null {
    if (!isLong(content)) return null;
    if (this.long?.blogId === blog.id && Bun.deepEquals(this.long.content, content)) return this.long.id;
    throw new NotRendered(async () => {
      this.giveUp(platen);
      this.long = { blogId: blog.id, content, id: await writeLongContent(platen, blog, content) };
    });
  }

  giveUp(platen: Platen): void {
    const { id } = this.long ?? {};
    if (id !== undefined) unlessLocked(platen, () => giveUpLongContent(platen, id));
    this.long = undefined;
  }
}

/** For work that leaves title and content alone. @param caller who does it */
export function nothingRendered(caller: TextSource): Rendered {
  return Object.assign(new RenderedSoFar(nameOf(caller), savedBy(caller)), {
    present: (platen: Platen, { id }: Version) => presentOf(platen, id),
  });
}

/** What a long post says is read while others are answered, like what is rendered. */
function readInTurns(present: Present): Present {
  let isRead = present.longId === null;
  const whole = () => {
    if (isRead) return present.whole();
    throw new NotRendered(async () => {
      await present.inTurns();
      isRead = true;
    });
  };
  return { ...present, whole };
}

function isShortHtml({ source, sourceType }: ContentParts): boolean {
  return sourceType === "html" && source.length <= LONGEST_RENDERED_HERE;
}

/** Loaded with the first that it renders: a server that is only read needs nothing that reads HTML. */
let renderHere: typeof renderContent | undefined;

function renderedHere(parts: ContentParts, blobOf: Wanted["blobOf"]): RenderedContent {
  if (!renderHere)
    throw new NotRendered(async () => {
      renderHere = (await import("../content/rendering")).renderContent;
    });
  const is = renderHere(parts);
  if (!("unknown" in is)) return is;
  const unknown = is.unknown.map((sgid) => [sgid, blobOf(sgid)] as const);
  return renderedHere({ ...parts, blobs: new Map([...parts.blobs, ...unknown]) }, blobOf);
}
