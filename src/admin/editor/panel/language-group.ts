import { blogsOf } from "../../../blogs/blogs";
import { postUrl } from "../../../blogs/permalinks";
import type { FieldErrors } from "../../../errors";
import { inputField, NO_CORRECTIONS } from "../../../http/forms/form-field";
import type { Post } from "../../../posts/post/post";
import { newestPosts } from "../../../posts/reading/related-posts-and-series";
import { type Html, html } from "../../../text/html";
import { isLanguage } from "../../../text/language-tags";
import type { BlogVisit } from "../../layout/visit";
import { languageList, languageName } from "../../words/language-names";
import { postName } from "../../words/post-states";
import type { PostFields } from "../form/post-fields";
import { focusAt, panelGroup } from "./panel-group";

const MAX_SUGGESTED = 50;

export function languageGroup(
  visit: BlogVisit,
  post: Post | null,
  { language, translationOf }: PostFields,
  errors: FieldErrors,
): Html {
  const isOpen = [language, translationOf, errors.language, errors.translation_of].some(Boolean);
  const { blog } = visit;
  const form = { values: { language, translation_of: translationOf }, errors };
  const blogLanguage = languageName(blog.language);
  return panelGroup(
    "Language and translations",
    html`<details${isOpen && html` open`}><summary>${isLanguage(language) ? languageName(language) : `${blogLanguage}, like the blog`}</summary>
${inputField(form, "language", "Language", {
  hint: `A tag like de or pt-BR. Leave empty for ${blogLanguage}.`,
  more: html`type="text"${focusAt("language", errors)} list="languages" ${NO_CORRECTIONS}`,
})}
${languageList()}
${inputField(form, "translation_of", "Translation of", {
  hint: "Address of the same post in another language. The two posts link to each other.",
  more: html`type="text"${focusAt("translation_of", errors)} list="translations" ${NO_CORRECTIONS}`,
})}
<datalist id="translations">${suggestions(visit, post)}</datalist>
</details>`,
  );
}

function suggestions({ call, blog, account }: BlogVisit, post: Post | null): Html[] {
  const { platen } = call;
  const others = blogsOf(platen, account).filter(({ id }) => id !== blog.id);
  return [blog, ...others].flatMap((one) =>
    newestPosts(platen, one, MAX_SUGGESTED)
      .filter(({ id }) => id !== post?.id)
      .map((found) => {
        const address = one.id === blog.id ? found.slug : postUrl(platen, one, found);
        return html`<option value="${address}">${postName(found)}</option>`;
      }),
  );
}
