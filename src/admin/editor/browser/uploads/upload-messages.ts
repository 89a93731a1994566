import { button, element } from "../html/elements";
import type { Upload, UploadQueue } from "./upload-queue";

export function uploadNotes(): { notes: HTMLElement; notify: (sentence: string) => HTMLElement } {
  const notes = element("div", "upload-messages");
  notes.setAttribute("role", "status");
  const notify = (sentence: string) => {
    const note = element("p");
    note.append(
      sentence,
      button("Close", null, () => note.remove()),
    );
    notes.append(note);
    return note;
  };
  return { notes, notify };
}

/** Failed uploads are sent again when the browser is online again, and before a save. */
export function delaySavingDuringUploads(
  form: HTMLFormElement,
  queue: UploadQueue,
  notify: (sentence: string) => HTMLElement,
  isInText: (upload: Upload) => boolean = () => false,
): void {
  /** Failed uploads that have already stopped a save. The next save leaves them out. */
  const reported = new Set<Upload>();
  const retryFailed = () => {
    for (const upload of queue.uploads.values())
      if (!reported.has(upload) && isInText(upload)) queue.retry(upload.id);
  };
  addEventListener("online", () => {
    reported.clear();
    retryFailed();
  });
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    const isPreview = submitter instanceof HTMLButtonElement && submitter.formTarget !== "";
    if (isPreview) return;
    retryFailed();
    const sending = queue.unfinished;
    if (sending.length === 0) return;
    event.preventDefault();
    const note = notify("Waiting for uploads. The post will be saved when they finish.");
    queue.whenIdle().then(() => {
      note.remove();
      const failed = sending.filter(({ error }) => error !== "");
      for (const upload of failed) reported.add(upload);
      if (failed.length === 0) form.requestSubmit(submitter);
      else if (failed.every(({ address }) => address))
        notify(
          "Not saved: a picture could not be fetched and was kept as a link. Save again to accept the link.",
        );
      else notify("Not saved: some uploads failed. Try again, or save without them.");
    });
  });
}
