import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { FieldErrors } from "../../errors";
import { formError, formField } from "../../http/forms/form-field";
import { ownerLayout } from "../../owner/owner-page";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";

export interface SetupInput {
  email: string;
  name: string;
  password: string;
  title: string;
  slug: string;
}

const EMPTY: SetupInput = { email: "", name: "", password: "", title: "", slug: "" };

/** @param script fills in the time zone */
export function setupFormPage(token: string, script: Html, input = EMPTY, faults: FieldErrors = {}): Html {
  return ownerLayout({
    title: "Set up Platen",
    head: script,
    main: html`<h1>Set up Platen</h1>
<p class="lead">Create your account and your blog, then start publishing.</p>
<form method="post" action="/setup">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="time_zone">
${newOwnerFields(input, faults)}
<button>Create my blog</button>
</form>`,
  });
}

/** Fields for an account and its blog. @param isBlogNeeded otherwise an empty title means no blog */
export function newOwnerFields(input = EMPTY, faults: FieldErrors = {}, isBlogNeeded = true): Html {
  const first = Object.keys(EMPTY).find((name) => faults[name]) ?? "email";
  const field = (name: keyof SetupInput, label: string, attributes: Html, hint?: string) =>
    formField(
      { name, label, hint, faults: faults[name] },
      (tied) =>
        html`<input ${tied} ${attributes}${name !== "password" && html` value="${input[name]}"`}${name === first && html` autofocus`}>`,
    );
  const strayFaults = Object.entries(faults).filter(([name]) => !(name in EMPTY));
  return html`${strayFaults.map(([name, says]) => formError(`${name} ${says.join(" ")}.`))}
<fieldset>
<legend>You</legend>
${field("email", "E-mail", html`type="email" required maxlength="254" autocomplete="username"`, "You sign in with it. Readers don’t see it.")}
${field("name", "Name", html`type="text" maxlength="200" autocomplete="name"`, "Shown next to your posts.")}
${field("password", "Password", html`type="password" required minlength="10" maxlength="1000" autocomplete="new-password"`, "At least 10 characters. A sentence works well.")}
</fieldset>
<fieldset>
<legend>Your blog</legend>
${field("title", "Title", html`type="text"${isBlogNeeded && html` required`} maxlength="200" autocomplete="off"`, isBlogNeeded ? undefined : "Leave empty to start without a blog.")}
${field("slug", "Short name", html`type="text" maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false"`, "Optional. Used in addresses and commands, like “garden”. Made from the title if empty.")}
</fieldset>`;
}

const languageName = ({ language }: Blog) => new Intl.DisplayNames("en", { type: "language" }).of(language);

/** The only page that shows the API key. @param script copies it */
export function setupDonePage(
  platen: Platen,
  script: Html,
  { blog, key }: { blog: Blog; key: string },
): Html {
  const url = blogUrl(platen, blog);
  return ownerLayout({
    title: "Platen is set up",
    head: script,
    main: html`<h1>${blog.title} is ready</h1>
<p class="lead">Your blog is at <a href="${url}">${url}</a>. Language: ${languageName(blog)}. Time zone: ${blog.timeZone.replaceAll("_", " ")}. You can change both in the <a href="${blogPath(blog, "/settings")}">settings</a>.</p>
<form method="get" action="${blogPath(blog, "/posts/new")}">
${formField({ name: "title", label: "Title of your first post", hint: "Nobody sees it until you publish it." }, (tied) => html`<input ${tied} type="text" maxlength="500" autocomplete="off" autofocus>`)}
<button>Start writing</button>
</form>
<h2>Your API key</h2>
<p>Programs use it to publish. It is shown <strong>only now</strong>: save it where you keep passwords.</p>
<pre class="key" id="key"><code>${key}</code></pre>
<button type="button" class="other copy" data-copy="key" data-with-scripts>Copy</button>
<div class="hint" id="toasts" role="status"></div>
<details>
<summary>Post with the API</summary>
<p>Run this in a terminal, then look at <a href="${url}">your blog</a>:</p>
<pre class="command" tabindex="0"><code>${firstPostCommand(platen, key)}</code></pre>
<p>For everything else, see the <a href="/api/docs">API documentation</a>.</p>
</details>`,
  });
}

function firstPostCommand(platen: Platen, key: string): string {
  const post = { title: "Hello", content: "My first post.", content_type: "markdown", status: "published" };
  return `curl ${platen.config.url}/api/v1/posts \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ post })}'`;
}
