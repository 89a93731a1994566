import type { Platen } from "../../platen";
import type { Asset } from "../answers/assets";
import { textRefusal } from "../answers/error-answers";
import { send } from "../answers/sending";
import { door } from "./door";

export const assetRoute = (platen: Platen, asset: Asset) =>
  door(platen, asset.path, textRefusal).get(asset.path, ({ call }) => send(call, asset.answerAt(asset.path)));
