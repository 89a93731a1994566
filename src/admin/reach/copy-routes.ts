import { blogDelivery, redeliver } from "../../deliveries/delivery-log";
import {
  changeCopySettings,
  connectBluesky,
  connectMastodon,
  disconnectCopies,
} from "../../syndication/copy-accounts";
import type { ServiceName } from "../../syndication/stored-copies";
import { blogRoutes, withForm } from "../layout/admin-routes";
import { type AdminForm, actionNamed, type BlogVisit, blogPath } from "../layout/visit";
import { reachPage } from "./reach-routes";

export const copyAdminRoutes = blogRoutes({
  "POST /reach/bluesky": changeCopies("bluesky"),
  "POST /reach/mastodon": changeCopies("mastodon"),
});

function changeCopies(service: ServiceName) {
  return withForm(async (visit: BlogVisit, form) => {
    const toast = await actionNamed(ACTIONS, form.get("do"))(visit, service, form);
    return { location: blogPath(visit.blog, "/reach"), toast };
  }, reachPage);
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
