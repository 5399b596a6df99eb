import type { CheckPorts, CredentialCheck } from "../../../lib/gateway/adapter/define-platform.js";
import { createApi } from "./api.js";
import { libraryOr, loadLibrary } from "./library.js";
import { faultOf } from "./platform.js";
import { readMsgfSettings } from "./settings.js";
import { BotShape } from "./wire.js";

/** Ask for a token of the app, and who its bot is. */
export async function checkMsgf({ settings, others, net, clock, signal }: CheckPorts): Promise<CredentialCheck> {
  const read = readMsgfSettings(settings, () => others("gateway").flag("ALLOW_INSECURE_API_BASE", false));
  if ("problem" in read) return { code: "config_invalid", message: read.problem };
  const { webhook, appId } = read.settings;
  const library = webhook ?? (await libraryOr(loadLibrary));
  if ("code" in library) return library;
  const answer = await createApi(read.settings, net, clock).call({
    method: "GET",
    path: "/open-apis/bot/v3/info",
    signal,
  });
  if (!answer.ok) return faultOf(answer);
  return { account: BotShape.safeParse(answer.body).data?.bot.app_name || appId };
}
