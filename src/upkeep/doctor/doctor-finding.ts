/** A result of `platen doctor`. */
export interface DoctorFinding {
  /** "disk", "blog.example.com" */
  about: string;
  /** `look`: works, but could be better. */
  state: "fine" | "look" | "fault";
  /** A sentence. */
  says: string;
  /** What to do, a sentence or "". */
  advice: string;
}

export function okFinding(about: string, says: string): DoctorFinding {
  return { about, state: "fine", says, advice: "" };
}
