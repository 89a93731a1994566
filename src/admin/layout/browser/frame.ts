import { offerCopies } from "./copy-buttons";
import { putBackWhatWasTyped } from "./restore-form";
import { openSearchByKey } from "./search-dialog";
import { countSelection } from "./selection-count";
import { listenForShortcuts } from "./shortcuts";
import { readToastsOut } from "./toasts";

/** Starts the scripts that every admin page has. Pages work without them. */
listenForShortcuts();
openSearchByKey();
readToastsOut();
offerCopies();
countSelection();
putBackWhatWasTyped();
