import type { Platen } from "../../platen";
import type { Asset } from "../responses/assets";
import { textRefusal } from "../responses/error-responses";
import { send } from "../responses/sending";
import { door } from "../routing/router";

export const assetRoute = (platen: Platen, asset: Asset) =>
  door(platen, asset.path, textRefusal).get(asset.path, ({ call }) => send(call, asset.answerAt(asset.path)));
