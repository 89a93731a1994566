import { postReactions } from "../../komments/reactions";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { grouped } from "../../text/numbers";
import { say } from "../../text/words/words";

const MAX_PEOPLE = 20;

export function reactionLine(platen: Platen, { id, blog }: Post): Html | null {
  const found = postReactions(platen, id, MAX_PEOPLE);
  if (!found) return null;
  const { likes, boosts, people } = found;
  const sums = [
    ...(likes > 0 ? [say(blog, "likes", { count: grouped(likes) })] : []),
    ...(boosts > 0 ? [say(blog, "boosts", { count: grouped(boosts) })] : []),
  ];
  const names = people.map(
    ({ name, url }, at) => html`${at > 0 && ", "}<a rel="nofollow ugc" href="${url}"><bdi>${name}</bdi></a>`,
  );
  const more = likes + boosts > MAX_PEOPLE && ", …";
  return html`<p class="reactions">${sums.map((sum) => html`${sum} · `)}${names}${more}</p>`;
}
