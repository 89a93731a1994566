import { type Html, html } from "../../text/html";

const LANGUAGES =
  "ar bg bn ca cs da de el en en-GB en-US es et fa fi fr ga he hi hr hu id it ja ko lt lv nb nl nn pl pt pt-BR ro ru sk sl sr sv th tr uk ur vi zh-Hans zh-Hant".split(
    " ",
  );

export function languageList(): Html {
  const options = LANGUAGES.map((tag) => html`<option value="${tag}">${languageName(tag)}</option>`);
  return html`<datalist id="languages">${options}</datalist>`;
}

export function languageName(tag: string): string {
  return new Intl.DisplayNames("en", { type: "language" }).of(tag) ?? tag;
}
