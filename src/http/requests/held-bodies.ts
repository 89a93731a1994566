import { LARGEST } from "../../config/request-limits";
import { busy } from "../../errors";
import type { Platen } from "../../platen";
import { type Author, renderingSource } from "../../posts/writing/author";

/** In seconds. */
const RETRY_AFTER = 5;

/** Platen → who sends → bytes of bodies that are held in memory until they have come whole. */
const held = new WeakMap<Platen, Map<string, number>>();

/** What one body takes of the memory that there is for all bodies of one sender. */
export interface HeldBody {
  /** @throws Refusal (busy) where the sender's others leave no room */
  grow(bytes: number): void;
  /** To be called once the body is whole, or has broken off. */
  release(): void;
}

/** @param source whose key sends it, or who is signed in */
export function heldBody(platen: Platen, source: Author): HeldBody {
  const sender = renderingSource(source);
  const bySender = held.getOrInsertComputed(platen, () => new Map<string, number>());
  let own = 0;
  const add = (bytes: number) => {
    own += bytes;
    const all = (bySender.get(sender) ?? 0) + bytes;
    if (all > 0) bySender.set(sender, all);
    else bySender.delete(sender);
  };
  return {
    grow(bytes) {
      if ((bySender.get(sender) ?? 0) + bytes > LARGEST.heldOfKey)
        throw busy("Other large requests of yours are under way: wait for their answers.", RETRY_AFTER);
      add(bytes);
    },
    release: () => add(-own),
  };
}
