import { sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { findRow } from "../database/rows";
import { remoteActors } from "../database/schema";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { deletePerson, type RemoteActor } from "./remote-actors";

/** @param key row id, handle, or URL of the actor or profile */
export function requirePerson(platen: Platen, { id: blogId }: Blog, key: number | string): RemoteActor {
  const { id, handle, url, profileUrl } = remoteActors;
  const name = String(key).replace(/^@?/, "@");
  const isMatch =
    typeof key === "number"
      ? sql`${id} = ${key}`
      : sql`(${url} = ${key} OR ${profileUrl} = ${key} OR lower(${handle}) = lower(${name}))`;
  const uses = ["followers", "komments", "messages", "reactions"].map(
    (table) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE remote_actor_id = ${id} AND blog_id = ${blogId})`,
  );
  const found = findRow(platen, remoteActors, sql`${isMatch} AND (${sql.join(uses, sql` OR `)})`);
  if (!found) throw notFound("person");
  return found;
}

/** @param blogs all blogs that the caller may change */
export function forgetPerson(platen: Platen, blogs: Blog[], person: RemoteActor): void {
  const ids = blogs.map(({ id }) => id);
  deletePerson(platen, person, ids);
}
