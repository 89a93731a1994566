/** What a form held when it could not be sent: all of its fields but files, and but the token, which ends with a session. */
export interface KeptHere {
  fields: [name: string, value: string][];
  /** Where it is to be sent. */
  to: string;
  /** Of the clock, in milliseconds. */
  at: number;
  /** The server refused it: only the page of its own post sends it again. */
  isRefused?: boolean;
}

const PREFIX = "platen.unsaved/";

export interface LeftHere {
  key: string;
  kept: KeptHere;
}

/**
 * The texts that this browser keeps for an account; each open page has its own, so that none takes another's away.
 * @param post "account/post"
 */
export function keptHere(post: string, to: string) {
  const ofAccount = `${PREFIX}${post.split("/")[0]}/`;
  const ofPost = `${PREFIX}${post}/`;
  const own = `${ofPost}${crypto.randomUUID()}`;
  return {
    /** False where there is no room, or a private window has no store. */
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
    /** What other pages have left: of this post, and of others; the newest first. */
    left(): { same: LeftHere[]; others: LeftHere[] } {
      const all = leftBelow(ofAccount).filter(({ key }) => key !== own);
      const isSame = ({ key }: LeftHere) => key.startsWith(ofPost);
      return { same: all.filter(isSame), others: all.filter((one) => !isSame(one)) };
    },
  };
}

/** Waits for the page of its own post from now on. */
export function park({ key, kept }: LeftHere): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...kept, isRefused: true } satisfies KeptHere));
  } catch {
    // It stays as it was.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // There is no store: nothing is in it.
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
