/** By the format that is chosen. */
const QUESTIONS: Record<string, string> = {
  markdown:
    "Your text stays HTML: it is not converted to Markdown, and you will edit its HTML source. Switch to Markdown?",
  html: "Your text stays Markdown: its signs will show as they are typed. “Continue in the editor” converts it instead. Switch to rich text?",
};

/** Asks before a text is read as another format than it was written in. */
export function confirmFormat(form: HTMLFormElement): void {
  const select = form.querySelector<HTMLSelectElement>('select[name="content_type"]');
  const area = form.querySelector<HTMLTextAreaElement>('textarea[name="content"]');
  const written = select?.value;
  if (!select || !area || !written) return;
  select.addEventListener("change", () => {
    if (select.value === written || area.value.trim() === "") return;
    if (!confirm(QUESTIONS[select.value])) select.value = written;
  });
}
