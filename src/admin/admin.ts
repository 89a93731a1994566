import { Elysia } from "elysia";
import { notFound } from "../errors";
import type { Call } from "../http/requests/call";
import type { Platen } from "../platen";
import { aboutRoutes } from "./about/about-routes";
import { ownAccountRoutes } from "./account/account-routes";
import { passkeyRoutes } from "./account/passkey-routes";
import { twoFactorRoutes } from "./account/two-factor-routes";
import { backupsRoutes } from "./backups/backups-routes";
import { addressRoutes } from "./blogs/address-routes";
import { themeRoutes } from "./blogs/design-routes";
import { navigationRoutes } from "./blogs/navigation-routes";
import { newBlogRoutes } from "./blogs/new-blog-routes";
import { settingsRoutes } from "./blogs/settings-routes";
import { dashboardRoutes } from "./dashboard/dashboard-routes";
import { autosaveRoutes } from "./editor/autosave-routes";
import { writingRoutes } from "./editor/editor-routes";
import { uploads } from "./editor/upload-routes";
import { jobRoutes } from "./jobs/job-routes";
import { keyRoutes } from "./keys/key-routes";
import { kommentAdminRoutes } from "./komments/komment-admin-routes";
import { adminRouter } from "./layout/admin-responses";
import type { AdminRoutes } from "./layout/admin-routes";
import { requireVisit } from "./layout/visit";
import { mailRoutes } from "./mail/mail-routes";
import { mediaRoutes } from "./media/library-routes";
import { messageAdminRoutes } from "./messages/message-admin-routes";
import { joinRoutes } from "./people/join-routes";
import { peopleRoutes } from "./people/people-routes";
import { postListRoutes } from "./posts/post-list-routes";
import { copyAdminRoutes } from "./reach/copy-routes";
import { fediverseAdminRoutes } from "./reach/fediverse-admin-routes";
import { newsletterAdminRoutes } from "./reach/newsletter-admin-routes";
import { reachRoutes } from "./reach/reach-routes";
import { removalRoutes } from "./removal/blog-removal-routes";
import { revisionRoutes } from "./revisions/revisions-routes";
import { searchRoutes } from "./search/search-routes";
import { setupRoutes } from "./setup/setup-routes";
import { topicRoutes } from "./topics/topic-routes";
import { transferRoutes } from "./transfer/transfer-routes";
import { webhookAdminRoutes } from "./webhooks/webhook-admin-routes";

const PAGES: AdminRoutes = {
  ...dashboardRoutes,
  ...peopleRoutes,
  ...aboutRoutes,
  ...backupsRoutes,
  ...jobRoutes,
  ...mailRoutes,
  ...keyRoutes,
  ...ownAccountRoutes,
  ...passkeyRoutes,
  ...twoFactorRoutes,
  ...writingRoutes,
  ...revisionRoutes,
  ...postListRoutes,
  ...searchRoutes,
  ...mediaRoutes,
  ...topicRoutes,
  ...kommentAdminRoutes,
  ...messageAdminRoutes,
  ...webhookAdminRoutes,
  ...reachRoutes,
  ...copyAdminRoutes,
  ...fediverseAdminRoutes,
  ...newsletterAdminRoutes,
  ...transferRoutes,
  ...settingsRoutes,
  ...themeRoutes,
  ...navigationRoutes,
  ...addressRoutes,
  ...newBlogRoutes,
  ...removalRoutes,
};

/** These have their own error responses. */
const OTHERS = [setupRoutes, joinRoutes, uploads, autosaveRoutes];

export const admin = (platen: Platen) => {
  // Keeps unknown paths below /admin from the public site.
  const pages = adminRouter(platen).all("/admin", rejectUnknownPage).all("/admin/*", rejectUnknownPage);
  for (const [route, respond] of Object.entries(PAGES)) {
    const [method = "", path = ""] = route.split(" ");
    pages.route(method, path, respond);
  }
  return new Elysia({ name: "admin" }).use([...OTHERS.map((routes) => routes(platen)), pages]);
};

function rejectUnknownPage({ call }: { call: Call }): never {
  requireVisit(call);
  throw notFound("page");
}
