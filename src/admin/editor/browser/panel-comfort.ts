import { sayAddress } from "./panel/address-words";
import { confirmFormat } from "./panel/format-change";
import { chooseAll } from "./panel/joining-choices";
import { closeKommentsOfPages } from "./panel/komments-of-pages";
import { keepPanel } from "./panel/panel-keeping";
import { previewInFrame } from "./panel/reader-view";
import { completeTags } from "./panel/tag-completion";
import { sayTime } from "./panel/time-said";

/** Comfort for what stands beside the text; all of it works without. */
const form = document.querySelector<HTMLFormElement>("form#post");
if (form) {
  keepPanel(form);
  sayTime(form);
  confirmFormat(form);
  sayAddress(form);
  completeTags(form);
  closeKommentsOfPages(form);
  previewInFrame(form);
  chooseAll(form);
}
