import { button, element } from "../html/elements";
import type { UploadQueue } from "./upload-queue";

export function uploadNotes(): { notes: HTMLElement; notify: (sentence: string) => void } {
  const notes = element("div", "upload-messages");
  notes.setAttribute("role", "status");
  const notify = (sentence: string) => {
    const note = element("p");
    note.append(
      sentence,
      button("Close", null, () => note.remove()),
    );
    notes.append(note);
  };
  return { notes, notify };
}

export function delaySavingDuringUploads(
  form: HTMLFormElement,
  queue: UploadQueue,
  notify: (sentence: string) => void,
): void {
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    const isPreview = submitter instanceof HTMLButtonElement && submitter.formTarget !== "";
    const sending = queue.unfinished;
    if (sending.length === 0 || isPreview) return;
    event.preventDefault();
    notify("Waiting for uploads. The post will be saved when they finish.");
    queue.whenIdle().then(() => {
      const failed = sending.filter(({ error }) => error !== "");
      if (failed.length === 0) form.requestSubmit(submitter);
      else if (failed.every(({ address }) => address))
        notify(
          "Not saved: a picture could not be fetched and was kept as a link. Save again to accept the link.",
        );
      else notify("Not saved: some uploads failed. Try again, or save without them.");
    });
  });
}
