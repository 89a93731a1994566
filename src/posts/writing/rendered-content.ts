import type { Account } from "../../accounts/accounts";
import type { KeyRow } from "../../accounts/keys";
import { cleanText } from "../../clean-text";
import { inSharedTransaction, type NoPromise, onceUnlocked, unlessLocked } from "../../database/transactions";
import { conflict, invalid } from "../../errors";
import { prepareSgids } from "../../media/attachment-element";
import type { StoredBlob } from "../../media/files/blobs";
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { Overrun, workerQueues } from "../../worker-queue";
import type { highlighted } from "../content/highlighting";
import type { markdownToHtml } from "../content/markdown";
import { plainText } from "../content/plain-text";
import type { ContentParts, RenderedContent, renderContent } from "../content/rendering";
import { giveUpLongContent, isLong, writeLongContent } from "../parts/long-contents";
import { type Present, presentOf } from "../parts/post-content";
import { indexIfWaiting, indexLater, mergeIndex } from "../parts/search-index";
import type { indexedText } from "../parts/search-text";
import type { Content, PostRow, SavedBy } from "../post/post";
import { RENDERED_WITHIN } from "../post/post-limits";
import type { contentWithWords } from "./content-with-words";

/** What content is made of, as it is known where it is saved. */
type Wanted = Omit<ContentParts, "blobs"> & { blobOf(sgid: string): StoredBlob | null };

/**
 * Gives what another thread has made of the very same before.
 * @throws NotRendered, which undoes the transaction around and is nobody's to catch but `withRendering`'s
 */
export interface Rendered {
  /** Who saves; null where nobody is named. */
  by: SavedBy | null;
  /** What the post says now, read once: each save of content makes another version of it. */
  present(platen: Platen, post: Pick<PostRow, "id" | "contentVersion">): Present;
  content(wanted: Wanted): RenderedContent;
  /**
   * Has the post found by this text: before the save is answered where it is long, else before anybody searches. In the
   * save's transaction.
   * @param text where it is long, perhaps how to read it
   */
  findBy(
    platen: Platen,
    post: Pick<PostRow, "id" | "contentVersion">,
    text: string | (() => Promise<string>),
  ): void;
  /** Where a long one has been written for the save; null for a short one, which is written with it. */
  longContent(platen: Platen, blog: { id: number }, content: Content): number | null;
}

/** By whose key texts come, or who is signed in. */
type TextSource = { account: Pick<Account, "id" | "name" | "email"> } & {
  key?: Pick<KeyRow, "id" | "name">;
};

class NotRendered extends Error {
  constructor(readonly render: () => Promise<void>) {
    super("Something is saved that was not rendered, or read, before.");
  }
}

/** How often the work may find the post, or the files it shows, changed meanwhile. */
const MOST_ROUNDS = 10;
/**
 * In characters. HTML is read from its beginning to its end once, whatever is in it: what is no longer is rendered on the
 * spot, for to ask takes longer.
 */
const LONGEST_RENDERED_HERE = 8_000;
/** In characters. What is no longer is made ready for the search index where that takes it in. */
const LONGEST_INDEXED_LATER = 20_000;

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
  const rendered = newRendered(nameOf(caller), savedBy(caller), platen.isCommand);
  try {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      try {
        const result = await inSharedTransaction(platen, () => {
          rendered.beginAnew();
          return work(rendered);
        });
        await rendered.takeIn(platen);
        return result;
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

function nameOf({ key, account }: TextSource): string {
  return key ? `key ${key.id}` : `account ${account.id}`;
}

function savedBy({ key, account }: TextSource): SavedBy {
  return { name: account.name || account.email, app: key?.name ?? null };
}

/** For work that leaves title and content alone. */
export const nothingRendered: Rendered = {
  ...newRendered("", null),
  // It is there for ever, and for every Platen.
  present: (platen, { id }) => presentOf(platen, id),
};

/** @param isAside nothing is rendered on the spot: a command has the database's lock then, and a server waits for it */
function newRendered(
  source: string,
  by: SavedBy | null,
  isAside = false,
): Rendered & { beginAnew(): void; takeIn(platen: Platen): Promise<void>; giveUp(platen: Platen): void } {
  const sgids = new Set<string>();
  let content: { parts: ContentParts; is: RenderedContent } | undefined;
  /** By post. */
  const presents = new Map<number, { contentVersion: number; is: Present }>();
  let indexed: { text: string; is: string } | undefined;
  /** By post. */
  const toTakeIn = new Map<number, { contentVersion: number; text: string | (() => Promise<string>) }>();
  let long: { blogId: number; content: Content; id: number } | undefined;
  const giveUp = (platen: Platen) => {
    const { id } = long ?? {};
    if (id !== undefined) unlessLocked(platen, () => giveUpLongContent(platen, id));
    long = undefined;
  };
  return {
    by,
    giveUp,
    present(platen, { id, contentVersion }) {
      const known = presents.get(id);
      if (known?.contentVersion === contentVersion) return known.is;
      const is = readInTurns(presentOf(platen, id));
      presents.set(id, { contentVersion, is });
      return is;
    },
    content({ blobOf, ...wanted }) {
      const parts = { ...wanted, blobs: new Map([...sgids].map((sgid) => [sgid, blobOf(sgid)])) };
      if (content && Bun.deepEquals(content.parts, parts)) return content.is;
      const here = isShortHtml(parts) && !isAside ? renderedHere(parts, blobOf) : undefined;
      if (here && !hasCode(here)) return here;
      throw new NotRendered(async () => {
        const is = await renderedContent(source, parts);
        if ("unknown" in is) for (const sgid of is.unknown) sgids.add(sgid);
        else {
          const { words, ...rest } = is;
          content = { parts, is: rest };
          if (words !== undefined) indexed = { text: rest.text, is: words };
        }
      });
    },
    findBy(platen, { id, contentVersion }, text) {
      const isLong = typeof text !== "string" || text.length > LONGEST_INDEXED_LATER;
      indexLater(platen, id, isLong ? 0 : text.length);
      if (isLong) toTakeIn.set(id, { contentVersion, text });
    },
    // What it did before was undone, and the ids of its posts may be others' now.
    beginAnew: () => toTakeIn.clear(),
    async takeIn(platen) {
      for (const [id, { contentVersion, text: given }] of toTakeIn)
        try {
          const text = typeof given === "string" ? given : await given();
          const is = indexed?.text === text ? indexed.is : await wordsIn(source, text);
          await nextTurn();
          await onceUnlocked(platen, () => indexIfWaiting(platen, { id, contentVersion }, is));
        } catch {
          // It is saved, and waits as short ones do.
        }
      if (toTakeIn.size > 0) await mergeIndex(platen);
    },
    longContent(platen, blog, content) {
      if (!isLong(content)) return null;
      if (long?.blogId === blog.id && Bun.deepEquals(long.content, content)) return long.id;
      throw new NotRendered(async () => {
        giveUp(platen);
        long = { blogId: blog.id, content, id: await writeLongContent(platen, blog, content) };
      });
    },
  };
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

function wordsIn(source: string, text: string): Promise<string> {
  return inTime<typeof indexedText>(source, "indexedText", text.length, text);
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

async function renderedContent(
  source: string,
  parts: ContentParts,
): Promise<ReturnType<typeof contentWithWords>> {
  const given = [parts, LONGEST_INDEXED_LATER] as const;
  const content = await inTime<typeof contentWithWords>(
    source,
    "contentWithWords",
    parts.source.length,
    ...given,
  );
  return "html" in content && hasCode(content)
    ? { ...content, html: await withCodeMarkedUp(source, content.html) }
    : content;
}

/** That is to be marked up. */
function hasCode({ html }: RenderedContent): boolean {
  return html.includes('<code class="language-');
}

async function withCodeMarkedUp(source: string, html: string): Promise<string> {
  try {
    const cost = { within: RENDERED_WITHIN, characters: html.length, source };
    return await workerQueues.authors.run<typeof highlighted>("highlighted", cost, html);
  } catch (fault) {
    // Code that nobody can mark up is still code.
    if (fault instanceof Overrun) return html;
    throw fault;
  }
}

/**
 * Markdown as HTML that says the same: rendered, it is shown as the Markdown was.
 * @throws Refusal: invalid (content), busy
 */
export function htmlOfMarkdown(caller: TextSource, markdown: string): Promise<string> {
  const clean = cleanText(markdown);
  return inTime<typeof markdownToHtml>(nameOf(caller), "markdownToHtml", clean.length, clean, {
    isPlain: false,
  });
}

/** What a reader sees of a source; of a long one, found beside the server. @throws Refusal: invalid (content), busy */
export async function textOfHtml(caller: TextSource, source: string): Promise<string> {
  if (source.length <= LONGEST_RENDERED_HERE) return plainText(source);
  return await inTime<typeof plainText>(nameOf(caller), "plainText", source.length, source);
}

/** @throws Refusal (invalid, content) where it takes too long */
async function inTime<
  Called extends typeof contentWithWords | typeof indexedText | typeof markdownToHtml | typeof plainText,
>(
  source: string,
  name: string,
  characters: number,
  ...given: Parameters<Called>
): Promise<ReturnType<Called>> {
  try {
    return await workerQueues.authors.run<Called>(
      name,
      { within: RENDERED_WITHIN, characters, source },
      ...given,
    );
  } catch (fault) {
    if (!(fault instanceof Overrun)) throw fault;
    const says = `must not take longer than ${RENDERED_WITHIN / 1000} seconds to read; shorten or simplify it`;
    throw invalid({ content: [says] });
  }
}
