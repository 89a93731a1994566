import { restoreSentForm } from "./restore-form";
import { listenForShortcuts, openSearchByKey } from "./search-dialog-and-shortcuts";
import { announceToasts, offerCopies } from "./toasts-and-copying";

listenForShortcuts();
openSearchByKey();
announceToasts();
offerCopies();
restoreSentForm();
