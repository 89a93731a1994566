/** A result of `platen doctor`. */
export interface DoctorFinding {
  /** The checked thing: "disk", "blog.example.com". */
  about: string;
  /** `look` means that it works, but could be better. */
  state: "fine" | "look" | "fault";
  /** The finding as a sentence. */
  says: string;
  /** Advice as a sentence, or "". */
  advice: string;
}

export function okFinding(about: string, says: string): DoctorFinding {
  return { about, state: "fine", says, advice: "" };
}
