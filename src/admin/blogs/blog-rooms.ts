import { Elysia } from "elysia";
import type { Platen } from "../../platen";
import { address } from "./address-routes";
import { navigation } from "./navigation-routes";
import { newBlog } from "./new-blog-routes";
import { settings } from "./settings-routes";
import { theme } from "./theme-routes";

/** One list, because TypeScript cannot follow a chain of this length. */
export const blogRooms = (platen: Platen) =>
  new Elysia({ name: "admin blogs" }).use([
    settings(platen),
    theme(platen),
    navigation(platen),
    address(platen),
    newBlog(platen),
  ]);
