import { followers, remoteActors } from "../../src/database/schema";
import type { TestPlaten } from "./platen";

/** Stores a follower of the blog who lives on social.example. @returns ids of the follower and of the person */
export function addFollower({ platen, blog }: Pick<TestPlaten, "platen" | "blog">, name: string) {
  const url = `https://social.example/users/${name}`;
  const inbox = "https://social.example/inbox";
  const at = platen.now();
  const person = platen.db
    .insert(remoteActors)
    .values({
      ...{ url, inbox, name, profileUrl: url, handle: `@${name}@social.example` },
      ...{ keyId: `${url}#key`, publicPem: "", fetchedAt: at },
    })
    .returning()
    .get();
  const follower = platen.db
    .insert(followers)
    .values({ blogId: blog.id, remoteActorId: person.id, followId: `${url}#1`, inbox, createdAt: at })
    .returning()
    .get();
  return { id: follower.id, person };
}
