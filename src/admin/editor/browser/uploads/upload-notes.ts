import { button, element } from "../html/elements";

/** What was not taken, until it is read: each can be put away. */
export function uploadNotes(): { notes: HTMLElement; tell: (sentence: string) => void } {
  const notes = element("div", "upload-notes");
  notes.setAttribute("role", "status");
  const tell = (sentence: string) => {
    const note = element("p");
    note.append(
      sentence,
      button("Close", null, () => note.remove()),
    );
    notes.append(note);
  };
  return { notes, tell };
}
