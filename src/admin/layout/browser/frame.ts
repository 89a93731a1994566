import { offerCopies } from "./copy-buttons";
import { putBackWhatWasTyped } from "./restore-form";
import { countSelection } from "./selection-count";
import { listenForShortcuts } from "./shortcuts";
import { readToastsOut } from "./toasts";

/** Comfort for every page of the admin; all of it works without. */
listenForShortcuts();
readToastsOut();
offerCopies();
countSelection();
putBackWhatWasTyped();
