import type { UploadQueue } from "./upload-queue";

/** Nothing is saved without the pictures that are on their way. */
export function holdWhileSending(
  form: HTMLFormElement,
  queue: UploadQueue,
  tell: (sentence: string) => void,
): void {
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    const isPreview = submitter instanceof HTMLButtonElement && submitter.formTarget !== "";
    if (queue.open === 0 || isPreview) return;
    event.preventDefault();
    tell(`Saved as soon as ${queue.open === 1 ? "a file has" : `${queue.open} files have`} been sent.`);
    queue.whenIdle().then(() => form.requestSubmit(submitter));
  });
}
