import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";
import { englishLang, word } from "../../text/words/words";

export const MAX_QUERY_LENGTH = 200;

export function searchForm(blog: Blog, base: string, words = ""): Html {
  return html`<form class="search" role="search" action="${base}search">
<label for="q"${englishLang(blog)}>${word(blog, "searchTerms")}</label>
<input id="q" name="q" type="search" value="${words}" maxlength="${MAX_QUERY_LENGTH}" required enterkeyhint="search">
<button${englishLang(blog)}>${word(blog, "search")}</button>
</form>`;
}
