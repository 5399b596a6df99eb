import type { SessionId } from "../../base/units.js";

export interface ListedTool {
  readonly name: string;
  readonly toolset: string;
  readonly risk: string;
  /** First sentence of the description for the model. */
  readonly summary: string;
  readonly offered: boolean;
  /** Why it is not offered. */
  readonly why: string | null;
  /** `false`: looked up with `tool_search` when the schemas of such tools are large. */
  readonly core: boolean;
  /** The MCP server or plugin that brings it; null: it is built in. */
  readonly origin: { readonly kind: "mcp" | "plugin"; readonly name: string } | null;
}

export interface ListedToolset {
  readonly name: string;
  readonly kind: "set" | "composite" | "preset";
  readonly tools: readonly string[];
  /** At least one of its tools is offered. */
  readonly on: boolean;
}

/** Tools and sets as a session has them. */
export interface ToolListing {
  /** Names that the session or the settings give. */
  readonly wanted: readonly string[];
  readonly disabled: readonly string[];
  readonly tools: readonly ListedTool[];
  readonly toolsets: readonly ListedToolset[];
  /** About names that mean no set. */
  readonly notices: readonly string[];
}

/** Sets that the user has switched in one conversation. */
export interface SessionTools {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** Every method throws E_NOT_FOUND for an unknown session. */
export interface SessionToolsApi {
  toolsOf(id: SessionId): Promise<SessionTools>;
  /** Offer sets in this conversation, or take them away, from its next turn on. */
  switchTools(id: SessionId, names: readonly string[], on: boolean): Promise<SessionTools>;
  /** Build the system prompt again at its next turn; the provider's cache of the session is lost. */
  renewPrompt(id: SessionId): Promise<void>;
}
