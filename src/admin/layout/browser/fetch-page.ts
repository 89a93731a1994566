/**
 * @param onSignedOut called if the server redirects, for example to the sign-in page
 * @returns null if the server redirects or reports an error, or if the request fails
 */
export async function fetchPage(
  address: string,
  signal: AbortSignal | null,
  onSignedOut = () => {},
): Promise<Document | null> {
  try {
    const response = await fetch(address, { signal });
    if (response.redirected) onSignedOut();
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return null;
  }
}
