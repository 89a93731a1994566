import {
  type ContentParts,
  type RenderedContent,
  renderContent,
  type UnknownFiles,
} from "../content/rendering";
import { indexedText } from "../search/indexed-text";

interface ContentWithWords extends RenderedContent {
  /** Its text as the search index takes it in; absent for a short one. */
  words?: string;
}

/**
 * Content, and of a long one its words for the search index too: its text need not be sent to the thread again for that.
 * @param longestShort in characters
 * @throws Refusal (invalid, content)
 */
export function contentWithWords(parts: ContentParts, longestShort: number): ContentWithWords | UnknownFiles {
  const is = renderContent(parts);
  return "unknown" in is || is.text.length <= longestShort ? is : { ...is, words: indexedText(is.text) };
}
