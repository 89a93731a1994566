/** What `platen doctor` has to say of one thing. */
export interface DoctorFinding {
  /** "disk", "blog.example.com" */
  about: string;
  /** `look`: works, and could be better. */
  state: "fine" | "look" | "fault";
  /** What was found, in a sentence. */
  says: string;
  /** What to do about it, in a sentence; "" where nothing is to be done. */
  advice: string;
}

export function okFinding(about: string, says: string): DoctorFinding {
  return { about, state: "fine", says, advice: "" };
}
