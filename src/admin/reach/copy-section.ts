import { listBlogDeliveries } from "../../deliveries/delivery-log";
import { hasFailed, willRetry } from "../../deliveries/redeliver";
import { csrfField } from "../../owner/csrf";
import { BLUESKY_SERVER } from "../../syndication/bluesky";
import {
  type CopyAccount,
  copiesByDefault,
  copyAccount,
  listCopies,
  SERVICE_LABELS,
  SERVICE_NAMES,
  type ServiceName,
  whyStopped,
} from "../../syndication/copies";
import { blueskyChannel, mastodonChannel } from "../../syndication/copy-channels";
import { mayHaveRecords, publicationKey } from "../../syndication/standard-site";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/words";

export const copySection = { title: "Copies on Bluesky and Mastodon", show: showCopies };

const COPIES_SHOWN = 10;

function showCopies(visit: BlogVisit, rejected?: { errors: string[] }): Html {
  return html`<p>A short post with a link, in your own account. Replies to it appear as komments.</p>
${rejected?.errors.map((error) => html`<p class="fault" role="alert">${error}</p>`)}
${SERVICE_NAMES.map((service) => {
  const account = copyAccount(visit.call.platen, visit.blog, service);
  const label = SERVICE_LABELS[service];
  return account
    ? html`<h3>${label}</h3>
${connected(visit, account)}`
    : html`<details${rejected && html` open`}><summary>Connect ${label}</summary>
${notConnected(visit, service)}</details>`;
})}
${copyList(visit)}`;
}

function connected({ call, blog, token }: BlogVisit, account: CopyAccount): Html {
  const { service, handle } = account;
  const because = whyStopped(call.platen, account);
  const id = `${service}-default`;
  return html`<p class="about"><span class="state ${because === null ? "live" : "failed"}">${because === null ? "On" : "Stopped"}</span><bdi>${handle}</bdi>${because !== null && html`<span class="because">${because}</span>`}</p>
<form class="stack" method="post" action="${blogPath(blog, `/reach/${service}`)}">
${csrfField(token)}
<div class="switch"><input type="checkbox" id="${id}" name="default" value="on"${copiesByDefault(blog, service) && html` checked`} aria-describedby="${id}-hint">
<label for="${id}">Copy each new post</label>
<p class="hint" id="${id}-hint">You can leave a post out in its settings. If this is off, only posts that you select are copied.</p></div>
${
  service === "bluesky" &&
  mayHaveRecords(call.platen, blog) &&
  html`<div class="switch"><input type="checkbox" id="records" name="records" value="on"${publicationKey(blog) && html` checked`} aria-describedby="records-hint">
<label for="records">Add standard.site records</label>
<p class="hint" id="records-hint">Lets reading apps find your posts. Applies to posts with a title that are copied from now on.</p></div>`
}
<div class="actions"><button class="primary" name="do" value="save">Save</button>
<button class="quiet" name="do" value="disconnect">Disconnect<span class="spoken"> ${SERVICE_LABELS[service]}</span></button></div>
</form>
${because !== null && notConnected({ blog, token }, service)}`;
}

function notConnected({ blog, token }: Pick<BlogVisit, "blog" | "token">, service: ServiceName): Html {
  const fields =
    service === "bluesky"
      ? html`${field("bluesky-handle", "handle", "Handle", html` placeholder="ada.bsky.social" required`)}
${field("bluesky-secret", "secret", "App password", html` type="password" autocomplete="off" required`, "Not your own password. Create one in Bluesky under Settings, Privacy and security, App passwords.")}
${field("bluesky-server", "server", "Server", html` placeholder="${BLUESKY_SERVER}"`, "Leave empty unless your account is on another server.")}`
      : html`${field("mastodon-server", "server", "Server", html` placeholder="https://mastodon.social" required`)}
${field("mastodon-secret", "secret", "Access token", html` type="password" autocomplete="off" required`, "On your server under Preferences, Development, New application. Select read, write:media and write:statuses.")}`;
  return html`<form class="stack" method="post" action="${blogPath(blog, `/reach/${service}`)}">
${csrfField(token)}
${fields}
<div class="actions"><button class="primary" name="do" value="connect">Connect<span class="spoken"> ${SERVICE_LABELS[service]}</span></button></div>
</form>`;
}

function field(id: string, name: string, label: string, attributes: Html, hint?: string): Html {
  return html`<div class="field"><label for="${id}">${label}</label>
<input id="${id}" name="${name}"${attributes}${hint && html` aria-describedby="${id}-hint"`}>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`;
}

function copyList({ call, blog, token, times }: BlogVisit): Html | null {
  const { platen } = call;
  const rows = listCopies(platen, blog, COPIES_SHOWN);
  if (rows.length === 0) return null;
  // Added oldest first, so that the newest delivery of a post overrides older ones.
  const newest = new Map(
    [blueskyChannel, mastodonChannel].flatMap((channel) =>
      listBlogDeliveries(platen, blog, { channel, limit: 4 * COPIES_SHOWN })
        .rows.reverse()
        .map((row) => [`${row.event.postId} ${row.receiver.id}`, row] as const),
    ),
  );
  return html`<h3>Sent posts</h3>
<ul class="rows">${rows.map(({ copy, service, post }) => {
    const isSent = copy.url !== "";
    const { delivery, receiver, last } = newest.get(`${copy.postId} ${copy.receiverId}`) ?? {};
    const isFailed = delivery !== undefined && hasFailed(delivery);
    const again = isFailed && !receiver?.disabledAt && !receiver?.removedAt;
    const place = SERVICE_LABELS[service as ServiceName];
    const mark = isFailed ? "failed" : isSent ? "live" : "scheduled";
    const failed = `${isSent ? "Update failed" : "Failed"}${delivery && willRetry(delivery) ? ", will retry" : ""}`;
    const words = isFailed ? failed : isSent ? "Copied" : "Waiting";
    return html`<li><div class="what"><a class="name" href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}</a>
<p class="about"><span class="state ${mark}">${words}</span><span>${place}</span><span>${times.near(copy.sentAt ?? copy.createdAt)}</span>${isFailed && last?.failure && html`<span class="because">${last.failure}</span>`}</p></div>
${
  again &&
  html`<form method="post" action="${blogPath(blog, `/reach/${service}`)}">${csrfField(token)}
<input type="hidden" name="delivery" value="${delivery?.id}"><button class="quiet" name="do" value="again">Send again<span class="spoken">: ${postName(post)}, ${place}</span></button></form>`
}
${isSent && html`<a class="button quiet" href="${copy.url}">Open<span class="spoken"> on ${place}</span></a>`}</li>
`;
  })}</ul>`;
}
