import { notFound } from "../../errors";
import { type Asset, script } from "../../http/responses/assets";
import { textErrorResponse } from "../../http/responses/error-responses";
import { sendResponse } from "../../http/responses/response";
import { router } from "../../http/router";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { bundleScript } from "./bundling";
import { ENTRY_POINTS, type ScriptName } from "./entry-points";

const scriptAssets = new Map<ScriptName, Promise<Asset>>();

export async function scriptTag(name: ScriptName): Promise<Html> {
  return html`<script type="module" src="${(await scriptAsset(name)).path}"></script>`;
}

export async function prefetchTag(name: ScriptName): Promise<Html> {
  return html`<link rel="prefetch" as="script" href="${(await scriptAsset(name)).path}" data-later="${name}">`;
}

function scriptAsset(name: ScriptName): Promise<Asset> {
  const asset =
    scriptAssets.get(name) ?? bundleScript(name).then((content) => script(`admin/${name}`, content));
  scriptAssets.set(name, asset);
  return asset;
}

/** An old hash returns the current script, because a page may be older than the server. */
export const scriptRoutes = (platen: Platen) =>
  router(platen, "admin scripts", textErrorResponse).get(
    "/assets/admin/:script",
    async ({ call, params }) => {
      const name = /^([a-z-]+)\.[0-9a-f]+\.js$/.exec(params.script)?.[1] ?? "";
      if (!isScriptName(name)) throw notFound("script");
      return sendResponse(call, (await scriptAsset(name)).responseFor(call.url.pathname));
    },
  );

function isScriptName(name: string): name is ScriptName {
  return Object.hasOwn(ENTRY_POINTS, name);
}
