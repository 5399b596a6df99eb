import { type HookListener, type HookReply, hookText } from "../../../lib/contracts/gateway/listen.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { jsonFields } from "../../../lib/safety/redact/json-body.js";
import { sameText } from "../../../lib/safety/redact/same-text.js";
import { readUpdate } from "./normalise.js";
import type { Observed } from "./observed.js";
import type { MsgtSettings, WebhookSettings } from "./settings.js";
import type { Me } from "./wire.js";

export interface WebhookParts extends Pick<PlatformPorts, "inlet" | "log" | "hooks"> {
  readonly settings: MsgtSettings;
  readonly me: Me;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
  /** Undefined: what others say in groups is left out. */
  readonly observed: Observed | undefined;
}

/** Listen for what the platform posts: the secret first, then the body; confirmed when it is stored (gateway part, 16.1.1). */
export function listenForUpdates(parts: WebhookParts, webhook: WebhookSettings): Promise<HookListener | AdapterFault> {
  return parts.hooks({
    owner: "msgt",
    host: webhook.host,
    port: webhook.port,
    portSetting: "MSGT_WEBHOOK_PORT",
    routes: [
      {
        method: "POST",
        path: webhook.path,
        run: async (request) => {
          const given = request.header("x-telegram-bot-api-secret-token") ?? "";
          if (!sameText(given, webhook.secret.reveal())) return hookText(401, "the secret is not that of this bot");
          return answerOf(parts, await request.read());
        },
      },
    ],
  });
}

async function answerOf(parts: WebhookParts, body: Buffer): Promise<HookReply> {
  const update = jsonFields(body);
  if (update === undefined) return hookText(400, "the body is not a JSON object");
  const event = readUpdate(parts, update);
  // What can never be taken is confirmed: the platform would send it again for ever.
  if (event === undefined || (await parts.inlet.accept(event)) !== "busy") return hookText(200, "");
  return hookText(503, "not stored yet", { "retry-after": "30" });
}
