import { followForms } from "../../posts/browser/following-form";
import { uploadChosenFiles } from "./many-uploads";
import { loadMoreOnScroll } from "./more-while-scrolling";

followForms();
loadMoreOnScroll();
uploadChosenFiles();
