import { offerCopies } from "./copying";
import { listenForShortcuts } from "./key-listening";
import { countSelection } from "./selection";
import { readToastsOut } from "./shown-toasts";
import { putBackWhatWasTyped } from "./typed-again";

/** Comfort for every page of the admin; all of it works without. */
listenForShortcuts();
readToastsOut();
offerCopies();
countSelection();
putBackWhatWasTyped();
