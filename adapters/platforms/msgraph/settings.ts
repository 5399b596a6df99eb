import { Secret } from "../../../lib/base/secret.js";
import type { PlatformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { baseAddress } from "../common/base-address.js";
import { wrongSetting } from "../common/settings.js";

export interface GraphSettings {
  readonly base: string;
  /** Used as it is. */
  readonly token: Secret | undefined;
  readonly client: { readonly url: string; readonly id: string; readonly secret: Secret } | undefined;
}

/** Where summaries go. */
export type Sink =
  | { readonly to: "off" }
  | { readonly to: "webhook"; readonly url: Secret; readonly cards: boolean }
  | { readonly to: "graph"; readonly path: string };

export interface GraphSources {
  /** Variables `MSGW_X`. */
  readonly msgw: PlatformSettings;
  /** Variables `MSGRAPH_X`. */
  readonly msgraph: PlatformSettings;
  readonly insecure: boolean;
}

/** @param settings the variables of a prefix. Summaries go to the team chat, so the graph is reached by its settings. */
export const graphSources = (settings: (prefix: string) => PlatformSettings): GraphSources => ({
  msgw: settings("msgw"),
  msgraph: settings("msgraph"),
  insecure: settings("gateway").flag("ALLOW_INSECURE_API_BASE", false),
});

/** @throws E_CONFIG naming the setting */
export function readGraphSettings({ msgw, msgraph, insecure }: GraphSources): GraphSettings {
  const base = baseAddress(
    "MSGW_GRAPH_BASE",
    msgw.text("GRAPH_BASE")?.trim() || "https://graph.microsoft.com",
    insecure,
  );
  const login = baseAddress(
    "MSGW_LOGIN_BASE",
    msgw.text("LOGIN_BASE")?.trim() || "https://login.microsoftonline.com",
    insecure,
  );
  const given = msgw.text("GRAPH_ACCESS_TOKEN")?.trim() ?? "";
  const [tenant = "", id = "", secret = ""] = ["TENANT_ID", "CLIENT_ID", "CLIENT_SECRET"].map(
    (name) => msgraph.text(name)?.trim() ?? "",
  );
  const client =
    tenant === "" || id === "" || secret === ""
      ? undefined
      : { url: `${login}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, id, secret: new Secret(secret) };
  return { base, token: given === "" ? undefined : new Secret(given), client };
}

const CARD_HOSTS = [".logic.azure.com", ".powerplatform.com"];

/** The sink of summaries (gateway part, 16.6.4). @throws E_CONFIG naming the setting */
export function readSink({ msgw, insecure }: GraphSources): Sink {
  const text = (name: string) => msgw.text(name)?.trim() ?? "";
  const address = text("INCOMING_WEBHOOK_URL");
  const chat = text("CHAT_ID");
  const team = text("TEAM_ID");
  const channel = text("CHANNEL_ID");
  const ids = chat !== "" || (team !== "" && channel !== "");
  const mode = text("DELIVERY_MODE") || (address !== "" ? "incoming_webhook" : ids ? "graph" : "");
  if (mode === "") return { to: "off" };
  if (mode === "incoming_webhook") {
    if (address === "")
      throw wrongSetting("MSGW_DELIVERY_MODE is incoming_webhook, but MSGW_INCOMING_WEBHOOK_URL is not set");
    const url = baseAddress("MSGW_INCOMING_WEBHOOK_URL", address, insecure);
    const { hostname } = new URL(url);
    return { to: "webhook", url: new Secret(address), cards: CARD_HOSTS.some((end) => hostname.endsWith(end)) };
  }
  if (mode !== "graph") throw wrongSetting("MSGW_DELIVERY_MODE must be graph or incoming_webhook");
  if (!ids)
    throw wrongSetting(
      "MSGW_DELIVERY_MODE is graph, but neither MSGW_CHAT_ID nor MSGW_TEAM_ID with MSGW_CHANNEL_ID is set",
    );
  const part = encodeURIComponent;
  return {
    to: "graph",
    path: chat !== "" ? `chats/${part(chat)}/messages` : `teams/${part(team)}/channels/${part(channel)}/messages`,
  };
}
