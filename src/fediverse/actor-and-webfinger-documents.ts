import { accountById } from "../accounts/accounts";
import { blogUrl } from "../blogs/blogs";
import type { Platen } from "../platen";
import { html } from "../text/html";
import { isObject } from "../text/json";
import { activityOf, type Json, listOf, PUBLIC } from "./activity-streams";
import type { BlogActor } from "./blog-actors";
import { actorId, followersOf, handleHost, handleOf, keyIdOf, sharedInboxOf } from "./blog-actors";
import { askForDocument, type ShortAnswer } from "./remote-documents";
import { ACTIVITY_TYPE } from "./signatures";

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

export function updateOfActor(platen: Platen, actor: BlogActor): Json {
  const id = `${actorId(actor)}#update/${crypto.randomUUID()}`;
  const to = { to: [PUBLIC], cc: [followersOf(actor)] };
  return activityOf(actor, "Update", id, actorObject(platen, actor), to);
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

interface Check {
  name: string;
  method?: "POST";
  url: string;
  accept: string;
  problem(answer: ShortAnswer): string | false;
}

/** Asks for the actor like another server, through the public address. */
export async function checkActor(platen: Platen, actor: BlogActor) {
  for (const { name, problem, ...request } of checksOf(actor)) {
    const answer = await askForDocument(platen, actor, request);
    const why = "failed" in answer ? answer.failed : problem(answer);
    if (why)
      return {
        isFine: false,
        message: `${name} does not work: ${why}. Check that the proxy forwards all paths below /.well-known/ to Platen.`,
      };
  }
  return { isFine: true, message: `Other servers can find ${handleOf(actor)}.` };
}

function checksOf(actor: BlogActor): Check[] {
  const id = actorId(actor);
  const { origin } = new URL(actor.base);
  const resource = encodeURIComponent(`acct:${handleOf(actor).slice(1)}`);
  return [
    {
      name: "WebFinger",
      url: `${origin}/.well-known/webfinger?resource=${resource}`,
      accept: "application/jrd+json",
      problem({ status, document }) {
        const links = listOf(document?.links).filter(isObject);
        const isFound = links.some(({ rel, href }) => rel === "self" && href === id);
        return !isFound && `${handleHost(actor)} responds with status ${status} and another document`;
      },
    },
    {
      name: "The actor",
      url: id,
      accept: ACTIVITY_TYPE,
      problem: ({ status, document }) =>
        document?.id !== id && `its address responds with status ${status} and another document`,
    },
    {
      name: "The inbox",
      method: "POST",
      url: `${id}/inbox`,
      accept: "*/*",
      // The inbox rejects an empty activity with 400. Another status may come from a proxy or another program.
      problem: ({ status }) => status !== 400 && `it responds to an empty activity with status ${status}`,
    },
  ];
}
