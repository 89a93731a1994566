import { Elysia } from "elysia";
import type { Platen } from "../platen";
import { dashboard } from "./dashboard/dashboard-routes";
import { scripts } from "./scripts/scripts";
import { setup } from "./setup/setup-routes";

/** The owner's web interface: every room of it, a line each. */
export const admin = (platen: Platen) =>
  new Elysia({ name: "admin" }).use(setup(platen)).use(scripts(platen)).use(dashboard(platen));
