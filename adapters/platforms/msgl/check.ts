import type { CheckPorts, CredentialCheck } from "../../../lib/gateway/adapter/define-platform.js";
import { createApi } from "./api.js";
import { libraryOr, loadLibrary } from "./library.js";
import { faultOf } from "./platform.js";
import { readMsglSettings } from "./settings.js";
import { InfoShape } from "./wire.js";

/** Ask who the bot of the channel is. The secret shows with the first event alone. */
export async function checkMsgl({ settings, others, net, signal }: CheckPorts): Promise<CredentialCheck> {
  const read = readMsglSettings(settings, () => others("gateway").flag("ALLOW_INSECURE_API_BASE", false));
  if ("problem" in read) return { code: "config_invalid", message: read.problem };
  const library = await libraryOr(loadLibrary);
  if ("code" in library) return library;
  const answer = await createApi(library, read.settings, net).info(signal);
  if (!answer.ok) return faultOf(answer.seen);
  const me = InfoShape.safeParse(answer.body).data;
  if (me === undefined)
    return { code: "platform_error", message: "MSGL_API_BASE does not answer as the platform does" };
  return { account: me.displayName ?? me.basicId ?? me.userId };
}
