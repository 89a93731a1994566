import { Elysia } from "elysia";
import { refusalOf } from "../../http/answers/error-answers";
import { send } from "../../http/answers/sending";
import { calls } from "../../http/requests/call";
import type { Platen } from "../../platen";
import { adminRefusal } from "./admin-answers";

/** What each room of the admin adds its routes to. A form goes to the address of a page: whoever has to sign in first comes back to that. */
export const adminDoor = (platen: Platen, room: string) =>
  new Elysia({ name: `admin ${room}` })
    .use(calls(platen))
    .onError(async (caught) => send(caught.call, await adminRefusal(caught.call, refusalOf(caught))));
