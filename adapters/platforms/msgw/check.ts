import type { CheckPorts, CredentialCheck } from "../../../lib/gateway/adapter/define-platform.js";
import { joseOr, loadJose } from "./library.js";
import { tokensOf } from "./platform.js";
import { readMsgwSettings } from "./settings.js";

/** Ask for a token of the app registration. */
export async function checkMsgw(ports: CheckPorts): Promise<CredentialCheck> {
  const read = readMsgwSettings(ports);
  if ("problem" in read) return { code: "config_invalid", message: read.problem };
  const library = await joseOr(loadJose);
  if ("code" in library) return library;
  const found = await tokensOf(read.settings, ports)?.get(ports.signal, true);
  if (found?.found !== "none") return { account: read.settings.account };
  const refused = found.seen.saw === "answer" && found.seen.credential === true;
  return { code: refused ? "auth_failed" : "network", message: found.seen.error };
}
