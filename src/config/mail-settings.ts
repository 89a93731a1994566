export interface Relay {
  host: string;
  port: number;
  /** true: TLS from the start (smtps:); false: STARTTLS, which only a relay on this machine may lack. */
  isSecure: boolean;
  user: string | null;
  password: string | null;
  from: string;
}

const MAX_MAIL_ADDRESS_LENGTH = 254;

/** Rejects texts that could add a header or a recipient to a mail. */
export function isMailAddress(text: string): boolean {
  return (
    text.length <= MAX_MAIL_ADDRESS_LENGTH &&
    /^[^\s@"<>(),:;\\[\]\p{Cc}]{1,64}@[^\s@"<>(),:;\\[\]\p{Cc}]+$/u.test(text)
  );
}

/** @returns the error without the field's name if the URL is invalid */
export function parseRelayUrl(text: string): Omit<Relay, "from"> | string {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname)
    return "must be like smtp://user:password@mail.example.com:587 or smtps://…:465";
  if ((url.pathname && url.pathname !== "/") || url.search || url.hash)
    return "must have nothing after the port";
  const isSecure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port ? Number(url.port) : isSecure ? 465 : 587,
    isSecure,
    user: decoded(url.username),
    password: decoded(url.password),
  };
}

function decoded(text: string): string | null {
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const DEFAULT_MAIL_PER_HOUR = 500;

export function parseMailPerHour(text: string): number | null {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}
