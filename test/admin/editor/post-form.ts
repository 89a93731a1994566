import type { Browser } from "../../support/cookie-browser";

/** Fields of the page's form as a browser sends them. */
export function formIn(page: string): FormData {
  const data = new FormData();
  const form = page.slice(page.indexOf('<form id="post"'), page.lastIndexOf("</form>"));
  const fields =
    /<textarea([^>]*)>\n?([^<]*)<\/textarea>|<input([^>]*)>|<select([^>]*)>([\s\S]*?)<\/select>/g;
  for (const [, area, text, input, select, options] of form.matchAll(fields)) {
    const tag = area ?? input ?? select ?? "";
    const name = attribute(tag, "name");
    if (!name || attribute(tag, "type") === "file" || / disabled/.test(tag)) continue;
    if (/type="(checkbox|radio)"/.test(tag) && !/ checked/.test(tag)) continue;
    const value = area ? (text ?? "") : select ? selectedIn(options ?? "") : (attribute(tag, "value") ?? "");
    // Browsers send CRLF.
    data.append(name, decodeEntities(value).replace(/\r?\n/g, "\r\n"));
  }
  return data;
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(` ${tag}`)?.[1];
}

function selectedIn(options: string): string {
  return /value="([^"]*)" selected/.exec(options)?.[1] ?? "";
}

function decodeEntities(text: string): string {
  const signs: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'" };
  return text.replace(/&(\w+|#\w+);/g, (whole, name) => signs[name] ?? whole);
}

/** Opens a post's page, changes fields of its form, and presses a button. */
export async function pressButton(
  browser: Browser,
  path: string,
  action: string,
  changes: Record<string, string | string[]> = {},
): Promise<Response> {
  const form = formIn(await (await browser.get(path)).text());
  for (const [name, values] of Object.entries(changes)) {
    form.delete(name);
    for (const value of [values].flat()) form.append(name, value);
  }
  return send(browser, path, action, form);
}

export function send(browser: Browser, path: string, action: string, form: FormData): Promise<Response> {
  form.set("action", action);
  return browser.send(path, { method: "POST", body: form, headers: { origin: "http://blog.test" } });
}
