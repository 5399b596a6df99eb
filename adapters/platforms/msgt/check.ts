import type { CheckPorts, CredentialCheck } from "../../../lib/gateway/adapter/define-platform.js";
import { insecureOf } from "../common/addresses.js";
import { createApi } from "./api.js";
import { libraryOr, loadLibrary } from "./library.js";
import { faultOf } from "./platform.js";
import { readMsgtSettings } from "./settings.js";
import { MeShape } from "./wire.js";

/** Ask who the bot is. */
export async function checkMsgt({ settings, others, net, signal }: CheckPorts): Promise<CredentialCheck> {
  const read = readMsgtSettings(settings, insecureOf(others));
  if ("problem" in read) return { code: "config_invalid", message: read.problem };
  const found = await libraryOr(loadLibrary);
  if ("code" in found) return found;
  const answer = await createApi(read.settings, { net, library: () => found.library }).call("getMe", {}, { signal });
  if (!answer.ok) return faultOf(answer.seen, true);
  const me = MeShape.safeParse(answer.result).data;
  if (me === undefined)
    return { code: "platform_error", message: "MSGT_API_BASE does not answer as the platform does" };
  return { account: me.username === undefined ? read.settings.account : `@${me.username}` };
}
