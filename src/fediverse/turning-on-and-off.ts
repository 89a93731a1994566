import { and, eq, ne } from "drizzle-orm";
import { type Blog, blogOfRow, changeReach, recordSettingsChange } from "../blogs/blogs";
import { blogAtUrl } from "../blogs/finding-blogs";
import { blogUrl } from "../blogs/permalinks";
import { deleteRows } from "../database/rows";
import { blogActors, followers, sentObjects } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, invalid } from "../errors";
import type { Platen } from "../platen";
import {
  FEDIVERSE,
  type FediverseSettings,
  fediverseSettings,
  reasonNotPublic,
  storedActor,
} from "./blog-actors";
import { type KeyPair, newKeyPair } from "./signatures";

export async function turnFediverseOn(platen: Platen, blog: Blog): Promise<void> {
  startFediverse(platen, blog, await newKeyPair());
}

/** Reuses an earlier actor if the actor's URL still leads to this blog. */
export function startFediverse(platen: Platen, blog: Blog, keys: KeyPair): void {
  if (fediverseSettings(blog)) return;
  const reason = reasonNotPublic(platen, blog);
  if (reason !== null) throw invalid({ fediverse: [`cannot be turned on. ${reason}`] });
  inTransaction(platen, () => {
    const current = blogOfRow(platen, { blogId: blog.id });
    const previousActor = storedActor(platen, current);
    if (previousActor && !isStillReachable(platen, current, previousActor.base))
      forgetActor(platen, current.id);
    const base = blogUrl(platen, current);
    // Another blog may have had this address before.
    deleteRows(platen, blogActors, and(eq(blogActors.base, base), ne(blogActors.blogId, blog.id)));
    platen.db
      .insert(blogActors)
      .values({ blogId: current.id, base, ...keys, createdAt: platen.now() })
      .onConflictDoNothing({ target: blogActors.blogId })
      .run();
    changeReach(platen, blog.id, { [FEDIVERSE]: {} });
    recordSettingsChange(platen, current, "fediverse on");
  });
}

function isStillReachable(platen: Platen, { id }: Blog, base: string): boolean {
  return blogAtUrl(platen, new URL(base))?.blog.id === id;
}

/** A new actor has a new id, so other servers do not carry followers over. */
function forgetActor(platen: Platen, blogId: number): void {
  for (const table of [blogActors, followers, sentObjects]) deleteRows(platen, table, { blogId });
}

/** Keys and followers stay, for turning the fediverse on again. */
export function turnFediverseOff(platen: Platen, blog: Blog): void {
  if (!fediverseSettings(blog)) return;
  inTransaction(platen, () => {
    changeReach(platen, blog.id, { [FEDIVERSE]: undefined });
    recordSettingsChange(platen, blog, "fediverse off");
  });
}

export function changeFediverseSettings(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  changes: FediverseSettings,
): void {
  inTransaction(platen, () => {
    const settings = fediverseSettings(blogOfRow(platen, { blogId: id }));
    if (!settings) throw conflict("Turn the fediverse on first.");
    changeReach(platen, id, { [FEDIVERSE]: { ...settings, ...changes } });
  });
}
