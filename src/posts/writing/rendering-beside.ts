/** What takes as long as whoever wrote it likes, made in the thread beside the server: see worker-queue. */
import type { Account } from "../../accounts/accounts";
import type { KeyRow } from "../../accounts/keys";
import { cleanText } from "../../clean-text";
import { invalid } from "../../errors";
import { Overrun, workerQueues } from "../../worker-queue";
import { type ContentBlock, contentBlocks } from "../content/content-blocks";
import type { highlighted } from "../content/highlighting";
import type { markdownToHtml } from "../content/markdown";
import type { ContentParts, RenderedContent, renderContent, UnknownFiles } from "../content/rendering";
import { RENDERED_WITHIN } from "../post/post-limits";

/** By whose key texts come, or who is signed in. */
export type TextSource = { account: Pick<Account, "id" | "name" | "email"> } & {
  key?: Pick<KeyRow, "id" | "name">;
};

/** What texts of one source wait for each other by. */
export function nameOf({ key, account }: TextSource): string {
  return key ? `key ${key.id}` : `account ${account.id}`;
}

/**
 * In characters. HTML is read from its beginning to its end once, whatever is in it: what is no longer is rendered on the
 * spot, for to ask takes longer.
 */
export const LONGEST_RENDERED_HERE = 8_000;

export async function renderedBeside(
  source: string,
  parts: ContentParts,
): Promise<RenderedContent | UnknownFiles> {
  const content = await inTime<typeof renderContent>(source, "renderContent", parts.source.length, parts);
  return "html" in content && hasCode(content)
    ? { ...content, html: await withCodeMarkedUp(source, content.html) }
    : content;
}

/** That is to be marked up. */
export function hasCode({ html }: RenderedContent): boolean {
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

/** The blocks of an HTML source; a long source is read in a worker. @throws Refusal: invalid (content), busy */
export async function blocksOfHtml(caller: TextSource, source: string): Promise<ContentBlock[]> {
  if (source.length <= LONGEST_RENDERED_HERE) return contentBlocks(source);
  return await inTime<typeof contentBlocks>(nameOf(caller), "contentBlocks", source.length, source);
}

/** @throws Refusal (invalid, content) where it takes too long */
async function inTime<Called extends typeof renderContent | typeof markdownToHtml | typeof contentBlocks>(
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
