/** Renders content in a worker with a deadline. */

import { invalid } from "../../errors";
import { cleanText } from "../../text/clean-text";
import { JobLimitExceeded, overrunMessage, workerQueues } from "../../worker-queue";
import type { highlightCode } from "../content/highlighting";
import type { markdownToHtml } from "../content/markdown";
import type { ContentParts, RenderedContent, renderContent, UnknownFiles } from "../content/rendering";
import { RENDER_TIMEOUT_MS } from "../post/post-limits";
import { type Author, renderingQueue } from "./author";

/** Maximum length in characters of HTML rendered on the main thread. For short HTML, a worker is slower. */
const MAX_RENDERED_HERE = 8_000;

/** @throws Refusal: invalid (content), busy */
export async function renderParts(
  author: Author,
  parts: ContentParts,
): Promise<RenderedContent | UnknownFiles> {
  const source = renderingQueue(author);
  const isShortHtml = parts.sourceType === "html" && parts.source.length <= MAX_RENDERED_HERE;
  const content = isShortHtml
    ? (await import("../content/rendering")).renderContent(parts)
    : await inTime<typeof renderContent>(source, "renderContent", parts.source.length, parts);
  return "html" in content && content.html.includes('<code class="language-')
    ? { ...content, html: await withCodeMarkedUp(source, content.html) }
    : content;
}

async function withCodeMarkedUp(source: string, html: string): Promise<string> {
  try {
    const cost = { within: RENDER_TIMEOUT_MS, characters: html.length, source };
    return await workerQueues.authors.run<typeof highlightCode>("highlightCode", cost, html);
  } catch (fault) {
    // If highlighting exceeds a limit, the code stays without it.
    if (fault instanceof JobLimitExceeded) return html;
    throw fault;
  }
}

/** @throws Refusal: invalid (content), busy */
export function renderMarkdown(author: Author, markdown: string): Promise<string> {
  const clean = cleanText(markdown);
  return inTime<typeof markdownToHtml>(renderingQueue(author), "markdownToHtml", clean.length, clean, {
    isPlain: false,
  });
}

/** @throws Refusal (invalid, content) if the worker exceeds its time or memory */
async function inTime<Called extends typeof renderContent | typeof markdownToHtml>(
  source: string,
  name: string,
  characters: number,
  ...given: Parameters<Called>
): Promise<ReturnType<Called>> {
  try {
    return await workerQueues.authors.run<Called>(
      name,
      { within: RENDER_TIMEOUT_MS, characters, source },
      ...given,
    );
  } catch (fault) {
    if (!(fault instanceof JobLimitExceeded)) throw fault;
    throw invalid({ content: [overrunMessage(fault, RENDER_TIMEOUT_MS)] });
  }
}
