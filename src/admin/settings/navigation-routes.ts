import { configureBlog } from "../../blogs/blog-settings";
import {
  addressOf,
  labelOf,
  MAX_LINK_LABEL_LENGTH,
  MAX_NAVIGATION_LINKS,
} from "../../blogs/navigation-links";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import type { FieldErrors } from "../../errors";
import {
  MAX_SUGGESTED_PAGES,
  parseNavigation,
  resolveNavigation,
  suggestedPages,
  type TypedLink,
} from "../../posts/reading/navigation-and-home";
import { topicsByName } from "../../posts/storage/categories-and-tags";
import { capitalize } from "../../text/clean-text";
import { html } from "../../text/html";
import { settingsHead } from "../layout/admin-styles";
import { icon } from "../layout/icons";
import { settingsTop } from "../layout/menu-and-shortcuts";
import { postForm } from "../layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "../layout/routing";
import type { AdminForm, BlogVisit } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";

export const navigationRoutes = blogRoutes({
  "GET /settings/navigation": navigationPage,
  "POST /settings/navigation": withForm(saveNavigation, navigationPage, MAX_BYTES.settingsForm),
});

function saveNavigation({ platen, blog }: BlogVisit, form: AdminForm) {
  inTransaction(platen, () =>
    configureBlog(platen, blog, { navigation: parseNavigation(platen, blog, linksIn(form)) }),
  );
  return "Saved.";
}

function linksIn(form: AdminForm): TypedLink[] {
  const targets = form.getAll("to");
  const rows = form
    .getAll("label")
    .slice(0, MAX_NAVIGATION_LINKS + 1)
    .map((label, at) => ({ label, to: targets[at] ?? "" }));
  return moveRow(rows, form.text("do")).filter(({ label, to }) => label.trim() || to.trim());
}

/** @param move "up 2", "down 0" or "remove 1"; other values change nothing */
function moveRow(rows: TypedLink[], move: string): TypedLink[] {
  const [verb, place = ""] = move.split(" ");
  const at = Number(place);
  const row = rows[at];
  if (!row || place === "") return rows;
  const others = rows.toSpliced(at, 1);
  if (verb === "remove") return others;
  if (verb === "up") return others.toSpliced(Math.max(0, at - 1), 0, row);
  return verb === "down" ? others.toSpliced(at + 1, 0, row) : rows;
}

function navigationPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog, rejected } = visit;
  const resolved = resolveNavigation(platen, blog);
  const stored = resolved.map(({ link, address }) => ({ label: link.label, to: address }));
  const links = rejected ? linksIn(rejected.sent) : stored;
  const hidden = new Set(resolved.filter(({ isShown }) => !isShown).map(({ address }) => address));
  const errors = rejected?.errors ?? {};
  const main = html`${settingsTop(visit, "/settings/navigation")}
<section class="settings">
<h2>Navigation</h2>
<p class="hint">Links at the top of every page, in this order. Links to pages and categories still work after you rename them.</p>
${postForm(visit, "", call.url.pathname)}
<input type="submit" name="do" value="save" hidden>
${errors.navigation && html`<p class="wrong" role="alert">Navigation ${errors.navigation.join(", and ")}.</p>`}
<ol class="links">
${links.map((link, at) => linkRow(link, at, links.length, errors, hidden.has(link.to)))}
${links.length < MAX_NAVIGATION_LINKS && linkRow({ label: "", to: "" }, links.length, links.length, errors)}
</ol>
<datalist id="places">
${suggestedPages(platen, blog).map((page) => html`<option value="/${page.slug}">${postName(page)}</option>`)}
${topicsByName(platen, "category", blog.id, MAX_SUGGESTED_PAGES).map(({ name, slug }) => html`<option value="/category/${slug}">${name}</option>`)}
<option value="/">Home</option>
<option value="/archive">Archive</option>
<option value="/search">Search</option>
</datalist>
<div class="actions"><button class="primary" name="do" value="save">Save</button></div>
</form>
</section>`;
  return { title: "Navigation", place: "settings", head: settingsHead, main };
}

function linkRow({ label, to }: TypedLink, at: number, count: number, errors: FieldErrors, isHidden = false) {
  const isNew = at === count;
  const wrong = [labelOf(at), addressOf(at)].flatMap(
    (name) => errors[name]?.map((message) => [name, message]) ?? [],
  );
  const described = [wrong.length > 0 && `link-${at}-fault`, isHidden && `link-${at}-hint`]
    .filter(Boolean)
    .join(" ");
  const more = (name: string) =>
    html`${errors[name] && html` aria-invalid="true"`}${described !== "" && html` aria-describedby="${described}"`}`;
  const number = isNew ? "new link" : `link ${at + 1}`;
  const button = (verb: string, name: "up" | "down" | "close", message: string, isOff: boolean) =>
    html`<button class="icon-button" name="do" value="${verb} ${at}" aria-label="${message} ${number}"${isOff && html` disabled`}>${icon(name)}</button>`;
  return html`<li>
<div><label for="label-${at}">${isNew ? "New link: label" : "Label"}<span class="spoken"> of ${number}</span></label>
<input id="label-${at}" name="label" value="${label}" maxlength="${MAX_LINK_LABEL_LENGTH}" autocomplete="off"${more(labelOf(at))}></div>
<div><label for="to-${at}">Links to<span class="spoken">, ${number}</span></label>
<input id="to-${at}" name="to" value="${to}" list="places" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="/about or https://…"${more(addressOf(at))}></div>
${!isNew && html`<div class="row-ways">${button("up", "up", "Move up", at === 0)}${button("down", "down", "Move down", at === count - 1)}${button("remove", "close", "Remove", false)}</div>`}
${wrong.length > 0 && html`<p class="wrong" id="link-${at}-fault">${wrong.map(([name, message]) => `${capitalize(name as string)} ${message}. `)}</p>`}
${isHidden && html`<p class="hint" id="link-${at}-hint">Hidden from readers, because the page is not published or is in the trash.</p>`}
</li>
`;
}
