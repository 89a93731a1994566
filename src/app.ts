import { Elysia } from "elysia";
import { setup } from "./admin/setup";
import { api } from "./api/api";
import { health } from "./http/health";
import type { Platen } from "./platen";
import { mediaRoutes } from "./site/media";
import { site } from "./site/site";

/** All doors: the table of contents of what Platen answers. */
export function platenApp(platen: Platen) {
  return new Elysia()
    .use(health(platen))
    .use(api(platen))
    .use(mediaRoutes(platen))
    .use(setup(platen))
    .use(site(platen));
}
