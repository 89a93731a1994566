import { enter, type SignIn } from "../owner/signing-in";
import { type Fields, fieldsIn } from "../support/cookie-browser";

export const VERIFIER = "a-verifier-that-nobody-guesses-0123456789-abcdef";
export const CHALLENGE = new Bun.CryptoHasher("sha256").update(VERIFIER).digest("base64url");

/** Parameters with which an app sends its user to /auth. */
export const REQUEST = {
  response_type: "code",
  client_id: "https://app.example/",
  redirect_uri: "https://app.example/callback",
  state: "st&te=1",
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
  scope: "create update media profile",
  me: "http://blog.test/",
};

export const authPath = (changes: Record<string, string | undefined> = {}) => {
  const query = Object.entries({ ...REQUEST, ...changes }).filter(([, value]) => value !== undefined);
  return `/auth?${new URLSearchParams(query as [string, string][])}`;
};

/** Signs in and consents. @returns the URL that the app is called back at */
export async function consent(
  { browser }: SignIn,
  changes: Record<string, string | undefined> = {},
  answer: Fields = {},
): Promise<URL> {
  if (browser.cookies.size === 0) await enter(browser);
  const page = await browser.get(authPath(changes));
  if (page.status !== 200) throw new Error(`${page.status}: ${await page.text()}`);
  const sent = await browser.post("/auth/consent", {
    ...fieldsIn(await page.text()),
    answer: "allow",
    ...answer,
  });
  if (sent.status !== 302) throw new Error(`${sent.status}: ${await sent.text()}`);
  return new URL(sent.headers.get("location") as string);
}

export const exchange = (at: SignIn, back: URL, changes: Record<string, string> = {}, path = "/auth/token") =>
  at.appPost(path, {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") as string,
    client_id: REQUEST.client_id,
    redirect_uri: REQUEST.redirect_uri,
    code_verifier: VERIFIER,
    ...changes,
  });
