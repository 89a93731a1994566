import type { Account } from "../../accounts/accounts";
import { blogsOf } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { type Html, html } from "../../html";
import { csrfField } from "../../owner/csrf";
import { ownerLayout } from "../../owner/owner-layout";
import type { Platen } from "../../platen";

/** What can be done from a terminal, the most wanted first. */
const COMMANDS: [command: string, does: string][] = [
  ["platen key add --account YOU", "a key for a program or an app"],
  ["platen blog set SLUG --title T", "the blog's title, look and words"],
  ["platen komment list", "komments that wait for you"],
  ["platen message list", "what came by the contact form"],
  ["platen help", "everything else"],
];

/** Who is signed in, and from where to go on. @param token see csrf */
export function dashboardPage(platen: Platen, { account, token }: { account: Account; token: string }): Html {
  const blogs = blogsOf(platen, account).map((blog) => ({ title: blog.title, url: blogUrl(platen, blog) }));
  return ownerLayout({
    title: "You are signed in",
    main: html`<h1>You are signed in</h1>
<p class="lead">As ${account.name ? html`<strong>${account.name}</strong>, ${account.email}` : html`<strong>${account.email}</strong>`}.</p>
${blogs.length > 0 ? ownBlogs(blogs) : NO_BLOG}
<h2>Run it</h2>
<p>In a terminal on the machine that Platen runs on:</p>
<dl class="commands">
${COMMANDS.map(([command, does]) => html`<dt><code>${command}</code></dt><dd>${does}</dd>\n`)}</dl>
<form method="post" action="/auth/sign-out">
${csrfField(token)}
<input type="hidden" name="next" value="/admin">
<button>Sign out</button>
</form>`,
  });
}

const NO_BLOG = html`<p>This account has no blog yet. In a terminal on the machine that Platen runs on:</p>
<pre class="command" tabindex="0"><code>platen blog add --account YOU --title TITLE</code></pre>`;

function ownBlogs(blogs: { title: string; url: string }[]): Html {
  return html`<h2>${blogs.length === 1 ? "Your blog" : "Your blogs"}</h2>
<ul class="links">
${blogs.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>\n`)}</ul>
<h2>Write</h2>
<p>Open a writing app that speaks Micropub (<a href="https://quill.p3k.io">Quill</a> in the browser, Indigenous or
Micro.blog on a phone) and give it ${blogs.length === 1 ? "your blog’s address" : "the address of a blog"}:</p>
<pre class="command" tabindex="0"><code>${blogs.map(({ url }) => `${url}\n`)}</code></pre>
<p>Programs of your own use the interface described in <a href="/api/docs">its documentation</a>.</p>`;
}
