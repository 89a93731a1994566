/** The browser would open dropped files, so the whole page accepts them. */
export function acceptDroppedFiles(take: (files: FileList) => void): void {
  const filesOf = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.includes("Files") ? dataTransfer.files : null;
  document.addEventListener("dragover", (event) => filesOf(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    const files = filesOf(event);
    if (!files || event.defaultPrevented) return;
    event.preventDefault();
    take(files);
  });
}
