import type { Job, JobState } from "../../jobs/job";
import { type Html, html } from "../../text/html";

const WORDS: Record<JobState, string> = {
  queued: "Waits",
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

const LOOKS: Record<JobState, string> = {
  queued: "scheduled",
  running: "scheduled",
  done: "live",
  failed: "failed",
  cancelled: "",
};

export function jobState({ state, isCancelAsked }: Job): Html {
  const words = state === "running" && isCancelAsked ? "Is being cancelled" : WORDS[state];
  return html`<span class="state ${LOOKS[state]}">${words}</span>`;
}

/** Is there more to come of it? */
export function isUnderWay({ state }: Job): boolean {
  return state === "queued" || state === "running";
}
