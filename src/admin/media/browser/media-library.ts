import { followForms } from "../../posts/browser/live-filter";
import { loadMoreOnScroll } from "./infinite-scroll";
import { uploadChosenFiles } from "./upload-files";

followForms();
loadMoreOnScroll();
uploadChosenFiles();
