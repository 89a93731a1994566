import { followForms } from "../../posts/browser/following-form";
import { sendOneByOne } from "./many-uploads";
import { goOnByItself } from "./more-while-scrolling";

/** Comfort for the library: it is searched while one types, goes on where it ends, and files show how far they are. */
followForms();
goOnByItself();
sendOneByOne();
