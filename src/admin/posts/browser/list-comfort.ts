import { followForms } from "./following-form";
import { offerAllTicked } from "./tick-all";

/** Comfort for lists of posts: they follow while one types, and all can be ticked at once. */
followForms();
offerAllTicked();
