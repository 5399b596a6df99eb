/** One server of the Model Context Protocol, as the pool uses it. What speaks the protocol is in `adapters/mcp`. */
import type { EpochMs, Ms } from "../../base/units.js";
import type { McpEntry } from "./entry.js";
import type { McpLoginAsk } from "./mcp.js";

/** A tool as its server offers it, its schema mended (extensions part, 2.2). */
export interface McpTool {
  /** As its server knows it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
}

/** What a server offers. */
export interface McpLists {
  readonly tools: readonly McpTool[];
  /** Absent: the server has no such capability. */
  readonly resources?: number;
  readonly prompts?: number;
  /** How long the lists hold, where the server says so. */
  readonly ttl_ms?: Ms;
}

/** What was found out about the revision that a server speaks: `legacy` is 2025-11-25 and older. */
export type McpVerdict = { readonly kind: "legacy" } | { readonly kind: "modern"; readonly discover: unknown };

/** What is kept of a server between two starts of it. */
export interface McpManifest {
  /** Hash of the entry that it was made with. */
  readonly key: string;
  readonly at: EpochMs;
  readonly lists: McpLists;
  readonly revision: string;
}

/** A request to a server that a call of the model makes. */
export interface McpRequest {
  readonly method: "tools/call" | "resources/list" | "resources/read" | "prompts/list" | "prompts/get";
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Without an answer and without progress. */
  readonly timeoutMs: Ms;
  readonly maxMs: Ms;
  progress?(text: string): void;
}

/**
 * `input`: the server wants answers first; the request is sent again with them and with `state`, which stays between client and server. `urls`: a server of the
 * older era wants addresses opened first; the request is sent again as it was.
 */
export type McpAnswer =
  | { readonly kind: "result"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: "urls"; readonly asked: readonly Readonly<Record<string, unknown>>[] }
  | { readonly kind: "input"; readonly requests: Readonly<Record<string, unknown>>; readonly state?: string };

/**
 * Why the call failed. `answered`: the server reported an error. `timeout`: no answer in time. `lost`: the connection ended while it worked.
 * `unsent`: not connected. `session`: the server no longer knows the session. `login`: it wants a login. `cancelled`: the user.
 */
export type McpFailureKind = "answered" | "timeout" | "lost" | "unsent" | "session" | "login" | "cancelled";

/** A request that got no result. */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  readonly kind: McpFailureKind;
  constructor(kind: McpFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Why a server cannot be connected: `refused`: its command must not run; `missing`: its command does not exist. */
export type McpConnectFailure = "failed" | "missing" | "refused" | "login";

/** @see McpConnectFailure */
export class McpConnectError extends Error {
  override readonly name = "McpConnectError";
  readonly kind: McpConnectFailure;
  constructor(kind: McpConnectFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** A directory that a server may work in. */
export interface McpRoot {
  readonly uri: string;
  readonly name?: string;
}

/** What a server of the older era may ask for while it works. A rejected promise becomes an error that the server gets. */
export interface McpAsked {
  /** Absent: the capability is not declared. */
  sampling?(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  elicit(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Absent: the capability is not declared. */
  roots?(): Promise<readonly McpRoot[]>;
}

export interface McpHooks {
  readonly asked: McpAsked;
  /** Its lists changed. */
  changed(): void;
  /** A line for the log of the servers. */
  say(level: "debug" | "info" | "warning" | "error", text: string): void;
}

/** An open connection. */
export interface McpConnection {
  readonly revision: string;
  readonly newer: boolean;
  readonly pid?: number;
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>;
  /** @throws McpFailure */
  lists(timeoutMs: Ms, signal?: AbortSignal): Promise<McpLists>;
  /** @throws McpFailure */
  send(request: McpRequest): Promise<McpAnswer>;
  /** Tell a server of the older era that other directories are open. */
  rootsChanged(): void;
  /** End it, and the program behind it. Harmless twice. */
  close(): Promise<void>;
}

export interface McpConnect {
  readonly name: string;
  readonly entry: McpEntry;
  readonly hooks: McpHooks;
  readonly signal: AbortSignal;
}

/** What speaks the protocol. */
export interface McpConnector {
  /** @throws McpConnectError */
  connect(connect: McpConnect): Promise<McpConnection>;
  readManifest(name: string, entry: McpEntry): Promise<McpManifest | undefined>;
  writeManifest(name: string, entry: McpEntry, manifest: Omit<McpManifest, "key">): Promise<void>;
  /** End the programs that a process which was killed left behind. */
  sweep(): Promise<void>;
  /** Why the entry's command must not run; undefined: it may. */
  refusal(entry: McpEntry): string | undefined;
  /** Log in with a browser. @throws AppError */
  login(name: string, entry: McpEntry, ask: McpLoginAsk, signal: AbortSignal): Promise<void>;
}
