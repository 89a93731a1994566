import {
  blogDelivery,
  hasFailed,
  listBlogDeliveries,
  redeliver,
  willRetry,
} from "../../deliveries/delivery-log-and-redelivery";
import { inputField } from "../../http/form-field";
import { BLUESKY_SERVER } from "../../syndication/bluesky";
import {
  changeCopySettings,
  connectBluesky,
  connectMastodon,
  disconnectCopies,
} from "../../syndication/copy-accounts";
import { blueskyChannel, mastodonChannel } from "../../syndication/copy-sending";
import { mayHaveRecords, publicationKey } from "../../syndication/standard-site";
import {
  type CopyAccount,
  copiesByDefault,
  copyAccount,
  listCopies,
  SERVICE_LABELS,
  SERVICE_NAMES,
  type ServiceName,
  whyStopped,
} from "../../syndication/stored-copies";
import { type Html, html } from "../../text/html";
import { postForm, switchControl } from "../layout/page-controls";
import { type AdminForm, actionNamed, type BlogVisit, blogPath } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";

const COPIES_SHOWN = 10;

export function copySection(visit: BlogVisit): Html {
  const errors = SERVICE_NAMES.flatMap(
    (service) =>
      visit.rejected?.errors[service]?.map((message) => `${SERVICE_LABELS[service]} ${message}.`) ?? [],
  );
  return html`<p>A short post with a link, in your own account. Replies to these copies appear as komments.</p>
${errors.map((error) => html`<p class="fault" role="alert">${error}</p>`)}
${SERVICE_NAMES.map((service) => {
  const account = copyAccount(visit.platen, visit.blog, service);
  const label = SERVICE_LABELS[service];
  return account
    ? html`<h3>${label}</h3>
${connected(visit, account)}`
    : html`<details${errors.length > 0 && html` open`}><summary>Connect ${label}</summary>
${notConnected(visit, service)}</details>`;
})}
${copyList(visit)}`;
}

const COPY_HINT =
  "You can leave a post out in the post's settings. If this option is off, only posts that you select are copied.";
const RECORDS_HINT =
  "Lets reading apps find your posts. From now on, copied posts that have a title get a record.";

function connected(visit: BlogVisit, account: CopyAccount): Html {
  const { platen, blog } = visit;
  const { service, handle } = account;
  const because = whyStopped(platen, account);
  return html`<p class="about"><span class="state ${because === null ? "live" : "failed"}">${because === null ? "On" : "Stopped"}</span><bdi>${handle}</bdi>${because !== null && html`<span class="because">${because}</span>`}</p>
${postForm(visit, "stack", blogPath(blog, `/reach/${service}`))}
${switchControl("default", "Copy each new post", copiesByDefault(blog, service) === true, COPY_HINT, `${service}-default`)}
${
  service === "bluesky" &&
  mayHaveRecords(platen, blog) &&
  switchControl("records", "Add standard.site records", !!publicationKey(blog), RECORDS_HINT)
}
<div class="actions"><button class="primary" name="do" value="save">Save</button>
<button class="quiet" name="do" value="disconnect">Disconnect<span class="spoken"> ${SERVICE_LABELS[service]}</span></button></div>
</form>
${because !== null && notConnected(visit, service)}`;
}

function notConnected(visit: BlogVisit, service: ServiceName): Html {
  const fields =
    service === "bluesky"
      ? [
          inputField({}, "bluesky_handle", "Handle", { more: html`placeholder="ada.bsky.social" required` }),
          inputField({}, "bluesky_secret", "App password", {
            hint: "Not your own password. Create an app password in Bluesky under Settings, Privacy and security, App passwords.",
            more: html`type="password" autocomplete="off" required`,
          }),
          inputField({}, "bluesky_server", "Server", {
            hint: "Leave empty unless your account is on another server.",
            more: html`placeholder="${BLUESKY_SERVER}"`,
          }),
        ]
      : [
          inputField({}, "mastodon_server", "Server", {
            more: html`placeholder="https://mastodon.social" required`,
          }),
          inputField({}, "mastodon_secret", "Access token", {
            hint: "On your Mastodon server, create an application under Preferences, Development, New application. Select read, write:media and write:statuses.",
            more: html`type="password" autocomplete="off" required`,
          }),
        ];
  return html`${postForm(visit, "stack", blogPath(visit.blog, `/reach/${service}`))}
${fields}
<div class="actions"><button class="primary" name="do" value="connect">Connect<span class="spoken"> ${SERVICE_LABELS[service]}</span></button></div>
</form>`;
}

function copyList(visit: BlogVisit): Html | null {
  const { platen, blog, times } = visit;
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
  return html`<h3>Recent copies</h3>
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
  html`${postForm(visit, "", blogPath(blog, `/reach/${service}`), { delivery: delivery.id })}<button class="quiet" name="do" value="again">Send again<span class="spoken">: ${postName(post)}, ${place}</span></button></form>`
}
${isSent && html`<a class="button quiet" href="${copy.url}">Open<span class="spoken"> on ${place}</span></a>`}</li>
`;
  })}</ul>`;
}

export function changeCopies(service: ServiceName) {
  return async (visit: BlogVisit, form: AdminForm) => {
    const toast = await actionNamed(ACTIONS, form.get("do"))(visit, service, form);
    return { location: blogPath(visit.blog, "/reach"), toast };
  };
}

type Action = (visit: BlogVisit, service: ServiceName, form: AdminForm) => string | Promise<string>;

const ACTIONS: Record<string, Action> = {
  connect: async ({ platen, blog }, service, form) => {
    const [server, secret] = [form.text(`${service}_server`), form.text(`${service}_secret`)];
    const handle = form.text("bluesky_handle");
    const account =
      service === "bluesky"
        ? await connectBluesky(platen, blog, { handle, server, password: secret })
        : await connectMastodon(platen, blog, { server, token: secret });
    return `Connected. New posts are copied to ${account.handle}.`;
  },
  save: ({ platen, blog }, service, form) => {
    changeCopySettings(platen, blog, service, {
      isDefault: form.text("default") === "on",
      hasRecords: form.text("records") === "on",
    });
    return "Saved.";
  },
  again: ({ platen, blog }, _service, form) => {
    redeliver(platen, blogDelivery(platen, blog, Number(form.get("delivery"))).delivery.id);
    return "Queued again.";
  },
  disconnect: ({ platen, blog }, service) => {
    disconnectCopies(platen, blog, service);
    return "Disconnected. Existing copies stay.";
  },
};
