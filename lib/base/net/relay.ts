import type { Readable, Writable } from "node:stream";
import type { Ms } from "../units.js";

/** One request that is passed on as it is. */
export interface RelayRequest {
  readonly method: string;
  /** Scheme, host and port are where it goes, and nowhere else; the path is not looked at. */
  readonly base: URL;
  /** Request target, sent byte for byte. */
  readonly target: string;
  /** Name and value in turn, sent in this order and as they are. `Host` and the framing of the body are the caller's to give. */
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
  /** Takes the body; `end` it also when there is none. Its errors are told by `answer` alone. */
  readonly body: Writable;
  /** Rejects with a `NetError` when there is none. */
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
