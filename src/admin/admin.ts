import { Elysia } from "elysia";
import type { Platen } from "../platen";
import { aboutRoom } from "./about/about-routes";
import { accountRoom } from "./account/account-routes";
import { passkeyRoom } from "./account/passkey-routes";
import { twoFactorRoom } from "./account/two-factor-routes";
import { blogRooms } from "./blogs/blog-rooms";
import { dashboard } from "./dashboard/dashboard-routes";
import { writing } from "./editor/editor-routes";
import { uploads } from "./editor/upload-routes";
import { jobRoom } from "./jobs/job-routes";
import { keyRoom } from "./keys/key-routes";
import { kommentRoom } from "./komments/komment-admin-routes";
import { noSuchPage } from "./layout/no-such-page";
import { media } from "./media/library-routes";
import { messageRoom } from "./messages/message-admin-routes";
import { joining } from "./people/join-routes";
import { peopleRoom } from "./people/people-routes";
import { posts } from "./posts/post-list-routes";
import { removalRoom } from "./removal/blog-removal-routes";
import { revisions } from "./revisions/revisions-routes";
import { setup } from "./setup/setup-routes";
import { topicRoom } from "./topics/topic-routes";
import { transferRoom } from "./transfer/transfer-routes";
import { keeping } from "./unsaved/autosave-routes";
import { webhookRoom } from "./webhooks/webhook-admin-routes";

export const admin = (platen: Platen) =>
  new Elysia({ name: "admin" })
    .use(setup(platen))
    .use(dashboard(platen))
    .use(writing(platen))
    .use(uploads(platen))
    .use(keeping(platen))
    .use(revisions(platen))
    .use(posts(platen))
    .use(media(platen))
    .use(kommentRoom(platen))
    .use(messageRoom(platen))
    .use(webhookRoom(platen))
    .use(transferRoom(platen))
    .use(blogRooms(platen))
    .use(ofInstance(platen))
    .use(noSuchPage(platen));

/** Separate, because the types of one list would be too deep for the compiler. */
const ofInstance = (platen: Platen) =>
  new Elysia({ name: "admin of the instance" })
    .use(keyRoom(platen))
    .use(accountRoom(platen))
    .use(twoFactorRoom(platen))
    .use(jobRoom(platen))
    .use([topicRoom(platen), removalRoom(platen)])
    .use(aboutRoom(platen))
    .use(joining(platen))
    .use(peopleRoom(platen))
    .use(passkeyRoom(platen));
