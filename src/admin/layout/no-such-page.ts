import { notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { Platen } from "../../platen";
import { adminDoor } from "./admin-door";
import { visit } from "./visit";

/** Answers unknown addresses below /admin with 404, before the public site would. */
export const noSuchPage = (platen: Platen) =>
  adminDoor(platen, "rest")
    .all("/admin", rejectUnknownPage, { parse: "none" })
    .all("/admin/*", rejectUnknownPage, { parse: "none" });

function rejectUnknownPage({ call }: { call: Call }): never {
  visit(call);
  throw notFound("page");
}
