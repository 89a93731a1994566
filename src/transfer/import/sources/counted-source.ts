import type { Source } from "./source";

/** How far the reading of a source is, in bytes. */
export interface Work {
  done: number;
  total: number;
}

/** The same source, which counts what is read of it. @param texts its files, each as often as it is read */
export function countedSource(
  source: Source,
  texts: readonly string[],
  onRead: (work: Work) => void,
): { source: Source; work: Work } {
  const left = new Map<string, number>();
  for (const path of texts) left.set(path, (left.get(path) ?? 0) + source.size(path));
  const work = { done: 0, total: left.values().reduce((sum, size) => sum + size, 0) };
  return {
    work,
    source: {
      ...source,
      async *bytes(path) {
        for await (const piece of source.bytes(path)) {
          const here = left.get(path) ?? 0;
          const read = Math.min(here, piece.length);
          left.set(path, here - read);
          work.done += read;
          if (read > 0) onRead(work);
          yield piece;
        }
      },
    },
  };
}
