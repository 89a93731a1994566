import { offerCopies } from "./copy-buttons";
import { putBackWhatWasTyped } from "./restore-form";
import { countSelection } from "./selection-count";
import { listenForShortcuts } from "./shortcuts";
import { readToastsOut } from "./toasts";

/** Scripts for every admin page, which works without them. */
listenForShortcuts();
readToastsOut();
offerCopies();
countSelection();
putBackWhatWasTyped();
