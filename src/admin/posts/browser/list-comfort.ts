import { followForms } from "./following-form";
import { addSelectAllBox } from "./tick-all";

followForms();
addSelectAllBox();
