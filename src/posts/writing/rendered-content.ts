import { conflict, invalid } from "../../errors";
import { lanes, Overrun } from "../../lanes";
import { prepareSgids } from "../../media/attachment-element";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import type { highlighted } from "../content/highlighting";
import type { ContentParts, RenderedContent, renderContent } from "../content/rendering";
import { RENDERED_WITHIN } from "../post/post-limits";

/** What content is made of, as it is known where it is saved. */
type Wanted = Omit<ContentParts, "blobs"> & { blobOf(sgid: string): StoredBlob | null };

/**
 * Gives what was rendered of the very same parts before.
 * @throws NotRendered, which undoes the transaction around and is nobody's to catch but `withRendering`'s
 */
export type Rendered = (wanted: Wanted) => RenderedContent;

class NotRendered extends Error {
  constructor(readonly parts: ContentParts) {
    super("Content is saved that was not rendered before.");
  }
}

/** How often the work may find the post, or the files it shows, changed meanwhile. */
const MOST_ROUNDS = 10;

/**
 * Does work that saves posts. Rendering takes another thread and time, saving is one transaction: so the work is done
 * until it comes to content that was not rendered, which undoes it; then that is rendered, and the work done from its
 * beginning. What others have changed meanwhile it sees then: what was rendered counts only for the same parts.
 * @param work changes nothing outside of a transaction, for it is done more than once
 * @throws Refusal: the work's own, invalid (content), busy, conflict
 */
export async function withRendering<Result>(
  platen: Platen,
  work: (rendered: Rendered) => Result,
): Promise<Result> {
  prepareSgids(platen);
  const sgids = new Set<string>();
  let known: { parts: ContentParts; content: RenderedContent } | null = null;
  const rendered: Rendered = ({ blobOf, ...wanted }) => {
    const parts = { ...wanted, blobs: new Map([...sgids].map((sgid) => [sgid, blobOf(sgid)])) };
    if (known && Bun.deepEquals(known.parts, parts)) return known.content;
    throw new NotRendered(parts);
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    try {
      return work(rendered);
    } catch (fault) {
      if (!(fault instanceof NotRendered)) throw fault;
      const { parts } = fault;
      const content = await contentOf(parts);
      if ("unknown" in content) for (const sgid of content.unknown) sgids.add(sgid);
      else known = { parts, content };
    }
  }
  throw conflict("This was changed again and again while it was being saved. Send it once more.");
}

/** For work that leaves content alone. */
export const nothingRendered: Rendered = ({ blobOf, ...wanted }) => {
  throw new NotRendered({ ...wanted, blobs: new Map() });
};

async function contentOf(parts: ContentParts): Promise<ReturnType<typeof renderContent>> {
  const cost = { within: RENDERED_WITHIN, characters: parts.source.length };
  const content = await lanes.authors
    .run<typeof renderContent>("renderContent", cost, parts)
    .catch(tookTooLong);
  const hasCode = "html" in content && content.html.includes('<code class="language-');
  return hasCode ? { ...content, html: await withCodeMarkedUp(content.html) } : content;
}

async function withCodeMarkedUp(html: string): Promise<string> {
  try {
    const cost = { within: RENDERED_WITHIN, characters: html.length };
    return await lanes.authors.run<typeof highlighted>("highlighted", cost, html);
  } catch (fault) {
    // Code that nobody can mark up is still code.
    if (fault instanceof Overrun) return html;
    throw fault;
  }
}

function tookTooLong(fault: unknown): never {
  if (!(fault instanceof Overrun)) throw fault;
  throw invalid({
    content: [`must not take longer than ${RENDERED_WITHIN / 1000} seconds to read; shorten or simplify it`],
  });
}
