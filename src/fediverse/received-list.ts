import type { Blog } from "../blogs/blogs";
import { prepareSql } from "../database/prepared";
import type { Platen } from "../platen";

export interface ReceivedRow {
  kind: "komment" | "like" | "boost";
  name: string;
  url: string;
  postId: number;
  postTitle: string;
  personId: number | null;
  at: Date;
}

const newest = prepareSql<Omit<ReceivedRow, "at"> & { at: number }, [number, number]>(`
    SELECT kind, name, url, post_id AS postId, iif(title = '', slug, title) AS postTitle, personId, at FROM (
      SELECT * FROM (SELECT kind, name, url, post_id, remote_actor_id AS personId, created_at AS at FROM reactions
        WHERE blog_id = ?1 ORDER BY id DESC LIMIT ?2)
      UNION ALL
      SELECT * FROM (SELECT 'komment', name, origin_url, post_id, remote_actor_id, created_at FROM komments
        WHERE blog_id = ?1 AND origin <> '' ORDER BY id DESC LIMIT ?2)
    ) JOIN posts ON posts.id = post_id ORDER BY at DESC LIMIT ?2`);

export function listReceived(platen: Platen, { id }: Pick<Blog, "id">, limit: number): ReceivedRow[] {
  return newest(platen)
    .all(id, limit)
    .map((row) => ({ ...row, at: new Date(row.at) }));
}
