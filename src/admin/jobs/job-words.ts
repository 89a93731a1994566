import type { Job, JobState } from "../../jobs/job";
import { type Html, html } from "../../text/html";

const JOB_STATE_WORDS: Record<JobState, string> = {
  queued: "Queued",
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

const JOB_STATE_CLASSES: Record<JobState, string> = {
  queued: "scheduled",
  running: "scheduled",
  done: "live",
  failed: "failed",
  cancelled: "",
};

export function jobState({ state, isCancelAsked }: Job): Html {
  const words = state === "running" && isCancelAsked ? "Cancelling" : JOB_STATE_WORDS[state];
  return html`<span class="state ${JOB_STATE_CLASSES[state]}">${words}</span>`;
}

export function isUnderWay({ state }: Job): boolean {
  return state === "queued" || state === "running";
}
