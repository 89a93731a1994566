/** A simple browser with cookies and an Origin header. */
export interface Browser {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<Response>;
  send(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response>;
  cookies: Map<string, string>;
}

export type Fields = Record<string, string | string[]>;

/** @param base origin of its forms */
export function browserAt(
  base: string,
  fetch: (path: string, init?: RequestInit) => Promise<Response>,
): Browser {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(path, { ...init, headers: { cookie, ...init.headers } });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) as unknown as [string, string, string];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    send,
    get: (path, headers) => send(path, { headers }),
    post: (path, fields, headers = { origin: base }) =>
      send(path, { method: "POST", body: formOf(fields), headers }),
  };
}

export function formOf(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  return form;
}

/** @returns hidden fields and checked boxes of the page's first form */
export function fieldsIn(page: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  const form = page.slice(page.indexOf("<form"), page.indexOf("</form>"));
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    if (/type="(checkbox|radio)"/.test(tag) && !tag.includes(" checked")) continue;
    const [, name] = /name="([^"]*)"/.exec(tag) as unknown as [string, string];
    fields[name] = [...(fields[name] ?? []), /value="([^"]*)"/.exec(tag)?.[1] ?? ""];
  }
  return fields;
}
