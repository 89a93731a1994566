import { Elysia } from "elysia";
import { setup } from "./admin/setup";
import { api } from "./api/api";
import { guards } from "./http/guards";
import { health } from "./http/health";
import { signIn } from "./http/sign-in";
import { indieauth } from "./indieauth/indieauth";
import { micropub } from "./micropub/micropub";
import type { Platen } from "./platen";
import { mediaRoutes } from "./site/media";
import { site } from "./site/site";

/** All doors: the table of contents of what Platen answers. Hosts may be as short as "pi". */
export function platenApp(platen: Platen) {
  return new Elysia({ handler: { standardHostname: false } })
    .use(guards())
    .use(health(platen))
    .use(api(platen))
    .use(micropub(platen))
    .use(mediaRoutes(platen))
    .use(setup(platen))
    .use(signIn(platen))
    .use(indieauth(platen))
    .use(site(platen));
}
