import { accountById } from "../accounts/accounts";
import { blogUrl } from "../blogs/permalinks";
import type { Platen } from "../platen";
import { html } from "../text/html";
import { CONTEXT, type Json } from "./activity-streams";
import { actorId, type BlogActor, followersOf, handleHost, keyIdOf, sharedInboxOf } from "./blog-actors";

const ICON_SIZE = 512;

export function actorObject(platen: Platen, actor: BlogActor): Json {
  const { blog } = actor;
  const id = actorId(actor);
  const url = blogUrl(platen, blog);
  return {
    id,
    type: "Person",
    preferredUsername: blog.slug,
    name: blog.title,
    summary: blog.description && html`<p>${blog.description}</p>`.markup,
    url,
    inbox: `${id}/inbox`,
    outbox: `${id}/outbox`,
    followers: followersOf(actor),
    following: `${id}/following`,
    featured: `${id}/featured`,
    endpoints: { sharedInbox: sharedInboxOf(actor) },
    publicKey: { id: keyIdOf(actor), owner: id, publicKeyPem: actor.publicPem },
    icon: { type: "Image", mediaType: "image/png", url: `${url}icon-${ICON_SIZE}.png` },
    attachment: profileFields(platen, actor),
    published: actor.createdAt.toISOString(),
    manuallyApprovesFollowers: false,
    discoverable: true,
    indexable: true,
    ...(actor.alsoKnownAs.length > 0 && { alsoKnownAs: actor.alsoKnownAs }),
    ...(actor.movedTo && { movedTo: actor.movedTo }),
  };
}

export function actorDocument(platen: Platen, actor: BlogActor): Json {
  return { "@context": CONTEXT, ...actorObject(platen, actor) };
}

function profileFields(platen: Platen, { blog }: BlogActor): Json[] {
  const link = (url: string) => html`<a href="${url}" rel="me nofollow noopener">${url}</a>`.markup;
  const author = accountById(platen, blog.accountId)?.name;
  return [
    { name: "Blog", value: link(blogUrl(platen, blog)) },
    ...(author ? [{ name: "Author", value: html`${author}`.markup }] : []),
    ...blog.profiles.map((url) => ({ name: new URL(url).hostname, value: link(url) })),
  ].map((field) => ({ type: "PropertyValue", ...field }));
}

/** RFC 7033. */
export function webfingerDocument(platen: Platen, actor: BlogActor): Json {
  const { blog } = actor;
  const id = actorId(actor);
  const url = blogUrl(platen, blog);
  return {
    subject: `acct:${blog.slug}@${handleHost(actor)}`,
    aliases: [id, url],
    links: [
      { rel: "self", type: "application/activity+json", href: id },
      { rel: "http://webfinger.net/rel/profile-page", type: "text/html", href: url },
    ],
  };
}
