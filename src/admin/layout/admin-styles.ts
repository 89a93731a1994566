import { stylesheet } from "../../http/responses/assets";
import look from "../../owner/look.css" with { type: "text" };
import css from "./admin.css" with { type: "text" };

export const adminStyles = stylesheet("admin", look + css);
