import type { Secret } from "../secret.js";
import type { Ms } from "../units.js";

/** A proxy that the user configured. It resolves the names that it is asked for. */
export interface ProxyAddress {
  /** `http`: by CONNECT; `socks5`: RFC 1928, with user and password by RFC 1929. */
  readonly kind: "http" | "socks5";
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly login?: { readonly user: string; readonly password: Secret };
}

/** Whose certificates count besides those that everybody trusts. */
export interface NetTrust {
  /** Certificates of further authorities, PEM. */
  readonly ca?: string | undefined;
  /** Certificates of hosts on this machine are not verified. */
  readonly insecure?: true | undefined;
  /** Certificate and key, PEM, by which the other end knows us. */
  readonly client?: { readonly cert: string; readonly key: Secret } | undefined;
}

export interface NetRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are asked for as they are sent, once: they go along with `redirects: false`. One that fails ends the exchange. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly connectMs?: Ms;
  /** Longest silence between two reads; 0: none. */
  readonly idleMs?: Ms;
  /** Most time for the whole exchange, body included. Default: 60 s for `web`, none otherwise; 0: none. */
  readonly totalMs?: Ms;
  /** Largest body that is read, after decompression; more ends the body with a `protocol` error. Default: 20 MiB for `web`, none otherwise. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /**
   * Most redirects that are followed, default 5. False: the answer that names another address is what is returned, for requests whose body is for
   * one place only.
   */
  readonly redirects?: false | number;
  /** The connection goes through it, also to loopback. Default: none. */
  readonly proxy?: ProxyAddress | undefined;
  /** Why an address must not be asked, or undefined: asked before the request and at each redirect. For what only this request knows. */
  readonly refuse?: (url: URL) => Promise<string | undefined>;
  /** Addresses that are tried when the name of the host cannot be resolved. Default: none. */
  readonly fallbackAddresses?: readonly string[];
  /** Default: the authorities that everybody trusts. */
  readonly trust?: NetTrust | undefined;
  /**
   * `model`: an endpoint that the user configured; private addresses are allowed, metadata addresses never.
   * `web`: an address that a model or page named; private ones are refused unless `security.allow_private_urls`.
   * `loopback`: only loopback, for the detection of local servers.
   */
  readonly purpose: "model" | "web" | "loopback";
}

export interface NetResponse {
  /** Address that answered, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as text, at most `maxBytes`; more is cut. */
  text(maxBytes: number): Promise<string>;
  /** Drop the connection. Harmless twice. */
  cancel(): void;
}

/** The one door to the network. The address is checked on the socket that was connected, so redirects and rebinding are covered. */
export interface Net {
  /** @throws NetError */
  fetch(request: NetRequest): Promise<NetResponse>;
  /** Drop every pooled connection; open requests go on. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

export type NetFailure = "refused" | "dns" | "reset" | "timeout" | "tls" | "blocked" | "aborted" | "protocol";

/** The network failed without an answer. What an answer says is never thrown. */
export class NetError extends Error {
  override readonly name = "NetError";
  readonly failure: NetFailure;
  constructor(failure: NetFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}
