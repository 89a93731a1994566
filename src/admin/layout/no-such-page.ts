import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { Platen } from "../../platen";
import { adminDoor } from "./admin-door";
import { visit } from "./visit";

/** What no room of the admin answers: the public site would. */
export const noSuchPage = (platen: Platen) =>
  adminDoor(platen, "rest")
    .all("/admin", refuse, { parse: "none" })
    .all("/admin/*", refuse, { parse: "none" });

function refuse({ call }: { call: Call }): never {
  visit(call);
  throw notFound("page at this address");
}
