import type { Ms } from "../../base/units.js";
import { VENDOR_ENDPOINT } from "../../contracts/models/vendor-endpoint.js";

/** A way to log in, named as the source of what it brings. */
export type FlowName = "device_code" | "loopback_pkce" | "vendor_device" | "device_pkce" | "paste_pkce";

/** What the product knows of a provider of models (proxy part, 1). Settings and options replace its addresses, client id and scope. */
export interface Descriptor {
  readonly id: string;
  readonly aliases?: readonly string[];
  /** As people know it. */
  readonly name: string;
  /** Models that people look for there, in a word or two. */
  readonly models?: string;
  /** Absent: keys only. */
  readonly flow?: FlowName;
  /** Where the login is made. */
  readonly portalUrl?: string;
  readonly issuer?: string;
  /** Where credentials are sent. */
  readonly inferenceUrl?: string;
  readonly clientId?: string;
  readonly scope?: string;
  /** Variables that hold a key, the name of choice first. */
  readonly keyVariables?: readonly string[];
  /** Variables that replace `inferenceUrl` for keys. */
  readonly urlVariables?: readonly string[];
  /** Its regions with what they have of their own, the one of choice first. */
  readonly regions?: Readonly<Record<string, { readonly portalUrl: string; readonly inferenceUrl: string }>>;
  /** A login is refreshed when less of it remains (proxy part, 8). */
  readonly refreshBefore: Ms;
  /** Its rate limits are passed on to the caller, and no credential rests for one (proxy part, 3.8). */
  readonly passesLimits?: true;
  /** Another address for requests counts within the domain of its own, and on this machine. */
  readonly ownDomain?: true;
  /** What a user has to know before a login. */
  readonly notice?: string;
}

const REFRESH_BEFORE: Ms = 120_000;

export const DESCRIPTORS: readonly Descriptor[] = [
  {
    id: "subscription",
    aliases: ["nous"],
    name: "Subscription portal",
    flow: "device_code",
    clientId: "agent-cli",
    scope: "inference:invoke",
    refreshBefore: REFRESH_BEFORE,
    passesLimits: true,
  },
  {
    id: VENDOR_ENDPOINT.id,
    name: "OpenAI",
    models: "GPT",
    flow: "vendor_device",
    issuer: "https://auth.openai.com",
    inferenceUrl: VENDOR_ENDPOINT.baseUrl,
    keyVariables: VENDOR_ENDPOINT.keyVariables,
    urlVariables: VENDOR_ENDPOINT.urlVariables,
    refreshBefore: REFRESH_BEFORE,
  },
  {
    id: "search-vendor",
    name: "xAI",
    models: "Grok",
    flow: "loopback_pkce",
    issuer: "https://auth.x.ai",
    inferenceUrl: "https://api.x.ai/v1",
    scope: "openid offline_access",
    ownDomain: true,
    keyVariables: ["SEARCH_VENDOR_API_KEY", "XAI_API_KEY"],
    urlVariables: ["SEARCH_VENDOR_BASE_URL", "XAI_BASE_URL"],
    refreshBefore: 3_600_000,
  },
  {
    id: "regional",
    name: "MiniMax",
    models: "MiniMax",
    flow: "device_pkce",
    scope: "group_id profile model.completion",
    regions: {
      global: { portalUrl: "https://api.minimax.io", inferenceUrl: "https://api.minimax.io/anthropic" },
      cn: { portalUrl: "https://api.minimaxi.com", inferenceUrl: "https://api.minimaxi.com/anthropic" },
    },
    keyVariables: ["REGIONAL_API_KEY", "MINIMAX_API_KEY"],
    refreshBefore: 60_000,
  },
  {
    id: "anthropic",
    name: "Anthropic",
    models: "Claude",
    flow: "paste_pkce",
    inferenceUrl: "https://api.anthropic.com",
    scope: "user:inference",
    keyVariables: ["ANTHROPIC_API_KEY"],
    refreshBefore: REFRESH_BEFORE,
    notice:
      "This login requires a top-tier subscription with purchased extra usage credits. Otherwise use an API key, which is billed per token.",
  },
  { id: "cloud", name: "Cloud models", refreshBefore: REFRESH_BEFORE },
  {
    id: "router",
    name: "OpenRouter",
    models: "Claude, GPT, Gemini and many more",
    inferenceUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["ROUTER_API_KEY", "OPENROUTER_API_KEY"],
    urlVariables: ["ROUTER_BASE_URL"],
    refreshBefore: REFRESH_BEFORE,
  },
];

/** The provider of that id or alias. */
export const descriptorOf = (name: string): Descriptor | undefined =>
  DESCRIPTORS.find((one) => one.id === name || one.aliases?.includes(name) === true);

/** A provider that only the settings know: keys, and whatever address they give. */
export const plainDescriptor = (id: string): Descriptor => ({ id, name: id, refreshBefore: REFRESH_BEFORE });
