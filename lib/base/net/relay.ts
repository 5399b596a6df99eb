import type { Readable, Writable } from "node:stream";
import type { Ms } from "../units.js";

/** One request that is passed on as it is. */
export interface RelayRequest {
  readonly method: string;
  /** Scheme, host and port are where it goes, and nowhere else; the path is not looked at. */
  readonly base: URL;
  /** Request target, sent byte for byte. */
  readonly target: string;
  /**
   * Name and value in turn, sent in this order and as they are. `Host` goes ahead of them. How the body is framed is the caller's to say, by its length
   * or as chunked; a request without either has no body.
   */
  readonly headers: readonly string[];
  /** Longest wait for the connection, TLS included. */
  readonly connectMs: Ms;
}

/** An answer as it came, body untouched. */
export interface RelayAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Name and value in turn, as they came. */
  readonly headers: readonly string[];
  /** Ends only when the whole of it has come; emits `error` when it was cut off. */
  readonly body: Readable;
}

/** A request under way. */
export interface RelayCall {
  /** Takes the body; `end` it also without one. Its errors are reported by `answer` alone. */
  readonly body: Writable;
  /** Rejects with a `NetError` when no answer comes. */
  readonly answer: Promise<RelayAnswer>;
  /** Drop the connection. Harmless twice, and when everything is over. */
  cancel(): void;
}

/** Passes requests on: no redirect is followed, nothing decoded, no proxy variable looked at. Connections are kept for the next request. */
export interface Relay {
  /** @throws NetError `blocked` when the address is one that is never asked */
  send(request: RelayRequest): RelayCall;
  /** Drop every connection. */
  close(): void;
}
