/** A form that could not be sent, stored in this browser. */
export interface KeptHere {
  fields: [name: string, value: string][];
  to: string;
  at: number;
  /** True if the server rejected the form: only its own post's page sends it again. */
  isRefused?: boolean;
}

const PREFIX = "platen.unsaved/";

export interface LeftHere {
  key: string;
  kept: KeptHere;
}

/** Texts stored in this browser for an account. Each open page has its own key. @param post "account/post" */
export function keptHere(post: string, to: string) {
  const ofAccount = `${PREFIX}${post.split("/")[0]}/`;
  const ofPost = `${PREFIX}${post}/`;
  const own = `${ofPost}${crypto.randomUUID()}`;
  return {
    /** @returns false if storage is unavailable or full */
    keep(fields: KeptHere["fields"], isRefused: boolean): boolean {
      try {
        const kept: KeptHere = { fields, to, at: Date.now(), isRefused };
        localStorage.setItem(own, JSON.stringify(kept));
        return true;
      } catch {
        forget(own);
        return false;
      }
    },
    forget: () => forget(own),
    forgetPost: () => {
      for (const { key } of leftBelow(ofPost)) forget(key);
    },
    /** Texts from other pages, newest first. */
    left(): { same: LeftHere[]; others: LeftHere[] } {
      const all = leftBelow(ofAccount).filter(({ key }) => key !== own);
      const isSame = ({ key }: LeftHere) => key.startsWith(ofPost);
      return { same: all.filter(isSame), others: all.filter((one) => !isSame(one)) };
    },
  };
}

/** Marks a text as rejected: only its own post's page sends it again. */
export function park({ key, kept }: LeftHere): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept, isRefused: true } satisfies KeptHere));
  } catch {
    // Storage is unavailable or full: the text is not marked.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage is unavailable.
  }
}

function leftBelow(prefix: string): LeftHere[] {
  try {
    const found = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    const left = found.map((key) => ({ key, kept: JSON.parse(localStorage.getItem(key) ?? "null") }));
    return left.filter(({ kept }) => kept !== null).sort((a, b) => b.kept.at - a.kept.at);
  } catch {
    return [];
  }
}
