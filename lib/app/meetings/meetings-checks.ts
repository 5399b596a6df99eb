import { isLoopback } from "../../../adapters/platforms/common/base-address.js";
import { readGraphSettings, readSink } from "../../../adapters/platforms/msgraph/settings.js";
import { toAppError } from "../../base/errors.js";
import { GRAPH_ORIGIN } from "../../contracts/board/platform-tag.js";
import type { MeetingCheck } from "../../contracts/gateway/meetings-api.js";
import { transcriberOf } from "../../gateway/media/transcriber.js";
import { NOTIFICATIONS_PATH } from "../../gateway/meetings/graph-notifications.js";
import { readListenSettings } from "../../gateway/meetings/listen-settings.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import type { OwnerServices } from "../../rpc/commands/owner-services.js";
import { createGraphSources } from "./meetings-work.js";

/** Look at what meetings need of the settings. No requests are sent. */
export function checksOf(app: OwnerServices): readonly MeetingCheck[] {
  const listen = () => readListenSettings(platformSettings(GRAPH_ORIGIN, settingsSource(app.options)));
  return [
    check("listener", () => {
      const { enabled, host, port } = listen();
      return enabled
        ? { ok: true, message: `notifications come in at ${host}:${port}${NOTIFICATIONS_PATH}` }
        : { ok: false, message: "MSGRAPH_WEBHOOK_ENABLED is not set: notifications are not received" };
    }),
    check("client_state", () => {
      const right = listen().clientState !== "";
      return {
        ok: right,
        message: right ? "MSGRAPH_WEBHOOK_CLIENT_STATE is set" : "MSGRAPH_WEBHOOK_CLIENT_STATE is not set",
      };
    }),
    check("public_url", () => {
      const { publicUrl } = listen();
      if (publicUrl === "")
        return {
          ok: true,
          message: "MSGRAPH_WEBHOOK_PUBLIC_URL is not set: agent meetings subscribe needs --notification-url",
        };
      const right = publicUrl.startsWith("https://") || isLoopback(publicUrl);
      return {
        ok: right,
        message: right ? `public URL for the graph: ${publicUrl}` : `the graph requires https: ${publicUrl}`,
      };
    }),
    check("graph", () => {
      const { base, token, client } = readGraphSettings(createGraphSources(app));
      if (token !== undefined) return { ok: true, message: `${base}, with MSGW_GRAPH_ACCESS_TOKEN` };
      if (client !== undefined) return { ok: true, message: `${base}, as client ${client.id}` };
      return { ok: false, message: "MSGRAPH_TENANT_ID, MSGRAPH_CLIENT_ID and MSGRAPH_CLIENT_SECRET are not all set" };
    }),
    check("delivery", () => {
      const sink = readSink(createGraphSources(app));
      if (sink.to === "off")
        return {
          ok: false,
          message:
            "no destination for summaries: set MSGW_INCOMING_WEBHOOK_URL, MSGW_CHAT_ID or MSGW_TEAM_ID with MSGW_CHANNEL_ID",
        };
      return {
        ok: true,
        message: sink.to === "graph" ? `summaries go to ${sink.path}` : "summaries go to the incoming webhook",
      };
    }),
    {
      name: "transcription",
      ok: true,
      message:
        transcriberOf(app.options)?.name ??
        "no transcription configured: meetings without a transcript are not summarized",
    },
  ];
}

function check(name: string, look: () => Omit<MeetingCheck, "name">): MeetingCheck {
  try {
    return { name, ...look() };
  } catch (error) {
    return { name, ok: false, message: toAppError(error).message };
  }
}
