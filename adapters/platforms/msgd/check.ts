import type { CheckPorts, CredentialCheck } from "../../../lib/gateway/adapter/define-platform.js";
import { createApi } from "./api.js";
import { libraryOf, loadLibrary } from "./library.js";
import { faultOf } from "./platform.js";
import { readMsgdSettings } from "./settings.js";
import { UserShape } from "./wire.js";

/** Ask who the bot is. */
export async function checkMsgd({ settings, others, net, clock, signal }: CheckPorts): Promise<CredentialCheck> {
  const read = readMsgdSettings(settings, others("gateway"));
  if ("problem" in read) return { code: "config_invalid", message: read.problem };
  const found = await libraryOf(loadLibrary);
  if ("code" in found) return found;
  const answer = await createApi({ library: found.library, settings: read.settings, net, clock }).call(
    "GET",
    "/users/@me",
    { signal },
  );
  if (!answer.ok) return faultOf(answer.seen);
  return { account: UserShape.safeParse(answer.result).data?.username ?? read.settings.account };
}
