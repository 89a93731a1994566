import { listKeys } from "../../accounts/keys";
import { listBlogs } from "../../blogs/blogs";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { printList } from "../shell/printing";

const COLUMNS = ["id", "account", "name", "scopes", "blogs", "expires_at", "revoked_at", "last_used_at"];

export default command({ does: "list the API keys", options: { json } }, async ({ values }) => {
  await withPlaten(values.data, async (platen) => {
    const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
    const rows = listKeys(platen).map((key) => ({
      id: key.id,
      account: key.email,
      name: key.name,
      scopes: key.scopes,
      blogs: key.blogIds.map((id) => slugs.get(id) as string),
      created_at: key.createdAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
      last_used_at: key.lastUsedAt,
      last_used_from: key.lastUsedFrom,
      last_used_by: key.lastUsedBy,
    }));
    await printList(rows, COLUMNS, values.json);
  });
});
