import { listenForShortcuts } from "./shortcuts";

/** Comfort for every page of the admin; all of it works without. */
listenForShortcuts();
