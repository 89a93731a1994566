import type { Upload, UploadQueue } from "./upload-queue";

/** Failed uploads that are in the text are sent again when the browser is online again, and before a save. */
export function delaySavingDuringUploads(
  queue: UploadQueue,
  isInText: (upload: Upload) => boolean = () => false,
): void {
  const { form } = queue;
  /** Failed uploads that have already stopped a save. The next save leaves them out. */
  const reported = new Set<Upload>();
  const retryFailed = () => {
    for (const upload of queue.uploads.values())
      if (upload.error && !reported.has(upload) && isInText(upload)) queue.start(upload);
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
    const note = queue.notify("Waiting for uploads. The post will be saved when they finish.");
    queue.whenIdle().then(() => {
      note.remove();
      const failed = sending.filter(({ error }) => error !== "");
      for (const upload of failed) reported.add(upload);
      if (failed.length === 0) form.requestSubmit(submitter);
      else if (failed.every(({ address }) => address))
        queue.notify(
          "Not saved: a picture could not be fetched and was kept as a link. Save again to accept the link.",
        );
      else queue.notify("Not saved: some uploads failed. Try again, or save without them.");
    });
  });
}
