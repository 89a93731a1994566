import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Platen } from "../../platen";

/** For supervisors and proxies: `/livez` says the process answers, `/readyz` that its database does too. */
export const health = (platen: Platen) =>
  new Elysia()
    .get("/livez", () => plain(200, "alive"))
    .get("/readyz", () => {
      try {
        platen.db.run(sql`SELECT 1`);
        return plain(200, "ready");
      } catch {
        return plain(503, "The database does not answer.");
      }
    });

const plain = (status: number, text: string) =>
  new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
