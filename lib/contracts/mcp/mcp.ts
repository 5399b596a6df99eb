/** Servers of the Model Context Protocol as commands and front ends see them (extensions part, 2 and 3). */
import type { EpochMs } from "../../base/units.js";
import type { McpEntry } from "./entry.js";

/** `idle`: its tools are known and it is not started. */
export type McpState =
  | "disabled"
  | "idle"
  | "starting"
  | "ready"
  | "reconnecting"
  | "needs_login"
  | "refused"
  | "failed";

export type McpTransport = "stdio" | "http" | "sse";

export interface McpServerStatus {
  readonly name: string;
  readonly transport: McpTransport;
  readonly state: McpState;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  /** Revision of the protocol that was agreed on, e.g. `2025-11-25`. */
  readonly era?: string;
  readonly pid?: number;
  /** When it got into this state. */
  readonly since?: EpochMs;
  readonly last_error?: string;
  readonly last_error_at?: EpochMs;
  readonly shared: boolean;
  readonly enabled: boolean;
}

export interface McpToolInfo {
  readonly server: string;
  /** As models know it, `mcp_<server>_<tool>`. */
  readonly name: string;
  /** As its server knows it; that of a tool for resources or prompts is empty. */
  readonly remote: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** False: `tools.include` or `tools.exclude` leave it out. */
  readonly enabled: boolean;
}

/** What became of connecting to a server. */
export interface McpTestOutcome {
  readonly ok: boolean;
  readonly connect_ms: number;
  readonly tools: readonly McpToolInfo[];
  readonly error?: string;
}

/** How a person logs in: the address is opened or shown, and what it leads to may be pasted. */
export interface McpLoginAsk {
  open(url: string): Promise<void>;
  /** Environment of the person: the address is opened in their browser as well, where there is a screen. */
  readonly browser?: Readonly<Record<string, string>>;
  /** The address or code that the browser ended at; undefined: nothing was entered. */
  paste?(): Promise<string | undefined>;
}

/** What `reload` changed. */
export interface McpReload {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** The servers of one owner. Methods that name a server throw E_NOT_FOUND for one that is not configured. */
export interface McpApi {
  /** From memory; nothing is started. Empty until the settings were read once: `status` reads them. */
  list(): readonly McpServerStatus[];
  status(name?: string): Promise<readonly McpServerStatus[]>;
  /** Its tools, from the manifest when it is not started. */
  tools(name: string): Promise<readonly McpToolInfo[]>;
  /** Connect now, by the code path of a turn. */
  test(name: string, signal: AbortSignal): Promise<McpTestOutcome>;
  /** The same for an entry that is not saved; its connection is closed afterwards. */
  probe(name: string, entry: McpEntry, signal: AbortSignal): Promise<McpTestOutcome>;
  reconnect(name: string, signal: AbortSignal): Promise<McpServerStatus>;
  login(name: string, ask: McpLoginAsk, signal: AbortSignal): Promise<void>;
  /** Read the entries again; what changed is started again, the rest is not touched. */
  reload(): Promise<McpReload>;
}
