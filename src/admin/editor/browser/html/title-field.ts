/** Titles have one line, so Enter leads to the text. */
export function onTitleEnter(form: HTMLFormElement, focusText: () => void): void {
  form.querySelector<HTMLTextAreaElement>('[name="title"]')?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    focusText();
  });
}
