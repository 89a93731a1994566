import { Elysia } from "elysia";
import { notFound } from "../errors";
import type { Call } from "../http/requests/call";
import type { Platen } from "../platen";
import { aboutRoutes } from "./about-routes";
import { ownAccountRoutes } from "./account-and-activity-routes";
import { keyRoutes } from "./api-key-and-app-routes";
import { backupsRoutes } from "./backup-routes";
import { topicRoutes } from "./category-and-tag-routes";
import { dashboardRoutes } from "./dashboard-routes";
import { autosaveRoutes } from "./editor/autosave-routes";
import { writingRoutes } from "./editor/editor-routes";
import { uploads } from "./editor/upload-routes";
import { transferRoutes } from "./import-and-export-routes";
import { jobRoutes } from "./job-routes";
import { kommentAdminRoutes } from "./komments/komment-admin-routes";
import { messageAdminRoutes } from "./komments/message-admin-routes";
import { type AdminRoutes, adminRouter } from "./layout/routing";
import { requireVisit } from "./layout/visit";
import { mailRoutes } from "./mail-relay-routes";
import { fileAndAltTextRoutes } from "./media/file-and-alt-text-routes";
import { libraryRoutes } from "./media/library-routes";
import { newBlogRoutes, removalRoutes } from "./new-blog-and-removal-routes";
import { passkeyRoutes, twoFactorRoutes } from "./passkey-and-two-factor-routes";
import { peopleRoutes } from "./people-and-invitation-routes";
import { bulkActionRoutes } from "./posts/bulk-action-routes";
import { postListRoutes } from "./posts/post-list-routes";
import { trashRoutes } from "./posts/trash-routes";
import { fediverseAdminRoutes } from "./reach/fediverse-admin-routes";
import { newsletterAdminRoutes } from "./reach/newsletter-admin-routes";
import { reachRoutes } from "./reach/reach-and-mention-routes";
import { subscriberRoutes } from "./reach/subscriber-routes";
import { revisionRoutes } from "./revision-routes";
import { searchRoutes } from "./search-routes";
import { addressRoutes } from "./settings/address-routes";
import { themeRoutes } from "./settings/design-routes";
import { settingsRoutes } from "./settings/general-reading-and-css-routes";
import { navigationRoutes } from "./settings/navigation-routes";
import { joinRoutes, setupRoutes } from "./setup-and-join-routes";
import { statisticsRoutes } from "./statistics-routes";
import { webhookAdminRoutes } from "./webhook-admin-routes";
import { webhookDeliveryLogRoutes } from "./webhook-delivery-log-routes";

const PAGES: AdminRoutes = {
  ...dashboardRoutes,
  ...statisticsRoutes,
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
  ...bulkActionRoutes,
  ...trashRoutes,
  ...searchRoutes,
  ...libraryRoutes,
  ...fileAndAltTextRoutes,
  ...topicRoutes,
  ...kommentAdminRoutes,
  ...messageAdminRoutes,
  ...webhookAdminRoutes,
  ...webhookDeliveryLogRoutes,
  ...reachRoutes,
  ...fediverseAdminRoutes,
  ...newsletterAdminRoutes,
  ...subscriberRoutes,
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
