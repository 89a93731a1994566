import type { StoredBlob } from "../../../src/media/files/blobs";
import { type RenderedContent, renderContent } from "../../../src/posts/content/rendering";

/** Renders a source in this thread. @param blobs signed id → file; all others are forged */
export function renderSource(
  source: string,
  sourceType: "html" | "markdown",
  altText: Record<string, string> = {},
  blobs = new Map<string, StoredBlob>(),
): RenderedContent {
  return renderContent({ source, sourceType, altText, ownMedia: [], blobs });
}
