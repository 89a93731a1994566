import { followForms } from "../../posts/browser/live-filter";
import { previewFocus } from "./focus";
import { loadMoreOnScroll } from "./infinite-scroll";
import { uploadChosenFiles } from "./upload-files";

followForms();
loadMoreOnScroll();
uploadChosenFiles();
previewFocus();
