import { offerCopies } from "./copy-buttons";
import { listenForShortcuts } from "./keyboard-shortcuts";
import { restoreSentForm } from "./restore-form";
import { countSelection } from "./row-selection";
import { openSearchByKey } from "./search-dialog";
import { announceToasts } from "./toasts";

listenForShortcuts();
openSearchByKey();
announceToasts();
offerCopies();
countSelection();
restoreSentForm();
