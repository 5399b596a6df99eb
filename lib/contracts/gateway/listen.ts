/** How adapters and other parts of the gateway listen for requests that others send them (gateway part, 2.2). */

import type { HookOrigin } from "../board/platform-tag.js";
import type { AdapterFault } from "./platform.js";

/** A request to a listener of the gateway. Nothing of it is read beyond its head before `read` is called. */
export interface HookRequest {
  readonly method: string;
  /** As it came, without the query. */
  readonly path: string;
  /** Named parts of the route's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /**
   * A header by its name in lower case; undefined when it is not there. One that is there several times gives all values joined with ", ", which
   * no signature and no token survives.
   */
  header(name: string): string | undefined;
  /**
   * The body as it was sent. To be called once, at most. Counted while it is read, whether its length was announced or not.
   *
   * @param maxBytes default: `HOOK_BODY_BYTES`
   * @throws E_TOO_LARGE, which the listener answers with 413; E_INVALID for a compressed body (415); E_INTERRUPTED when the client is gone
   */
  read(maxBytes?: number): Promise<Buffer>;
  /** Address of the peer. */
  readonly address: string;
  /** Aborts when the client is gone or the listener closes. What was stored by then stays stored. */
  readonly signal: AbortSignal;
}

/** Limit for bodies of every listener of the gateway (gateway part, 19.2). */
export const HOOK_BODY_BYTES = 1 << 20;

/** What is answered. `stream` is ended early for `HEAD` and when its reader is gone. */
export type HookReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly stream: AsyncIterable<Uint8Array> }
  | { readonly none: true }
);

/** One route. */
export interface HookRoute {
  /** `GET` serves `HEAD` as well. Other methods of a known path get 405 with `Allow`. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Segments; one that begins with a colon takes any one segment: `/webhooks/:name`. */
  readonly path: string;
  /** What it throws is answered with 500 and logged, an `AppError` of `read` with its own status. */
  run(request: HookRequest): Promise<HookReply>;
}

/** What a listener is to be. */
export interface HookPlan {
  /** Who listens, as messages name it: `msgl`. */
  readonly owner: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The setting that names the port, for messages: `MSGL_PORT`. */
  readonly portSetting: string;
  readonly routes: readonly HookRoute[];
  /** Form of errors that the listener answers itself (404, 405, 413, ...). Default: the message as text. */
  readonly problem?: (status: number, message: string) => HookReply;
}

/** A listener that is open. */
export interface HookListener {
  readonly host: string;
  readonly port: number;
  /** `host:port` */
  readonly address: string;
  /** Take nothing more, wait for answers that are made from whole requests, cut the rest. Harmless twice; leaves nothing. */
  close(): Promise<void>;
}

/** A listener that belongs to no platform: what posts to it is another source of events. */
export interface SourceStatus {
  readonly name: HookOrigin;
  /** `host:port`; undefined while it does not listen. */
  readonly listen: string | undefined;
  /** Why not; it is tried again. */
  readonly fault: AdapterFault | undefined;
  /** Since when it is so; milliseconds. */
  readonly since: number;
}

/** Open a listener; a place that cannot be had is a value: the fault names the port, the setting and who holds it. */
export type OpenHooks = (plan: HookPlan) => Promise<HookListener | AdapterFault>;

/** Shortcut for a route's answer. */
export const hookText = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): HookReply => ({
  status,
  text,
  headers,
});
