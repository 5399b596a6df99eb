import type { z } from "zod";
import type { RunRequest, RunResult, WireClaim } from "../proto/wire.js";

/** One connected client, as methods see it. */
export interface ClientContext {
  /** Number of the connection, from 1; never used again by this owner. */
  readonly id: number;
  readonly transport: "socket" | "web" | "local";
  /** What the client calls itself (`cli`, `workspace`, `worker`, ...). Not proved. */
  readonly kind: string;
  /** Set for a board worker. Methods compare it in the transaction that changes something. */
  readonly claim?: WireClaim;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** One request of a client. */
export interface CallContext {
  /** The client's key of a changing request. The backplane repeats the first answer by itself; a method may store it as well. */
  readonly key?: string;
}

/** A method of the owner. What it throws goes to the caller as an error; what it returns must be JSON. */
export interface Method<P extends z.ZodType = z.ZodType> {
  readonly params: P;
  /** `read` changes nothing and ignores `key`. */
  readonly access: "read" | "write" | "admin";
  /** A client that presented a claim may call it. Default false. */
  readonly workers?: boolean;
  readonly run: (params: z.output<P>, client: ClientContext, call: CallContext) => Promise<unknown>;
}

export type Methods = ReadonlyMap<string, Method>;

/** Declare a method; `run` gets what `params` parsed. */
export function defineMethod<P extends z.ZodType>(method: Method<P>): Method {
  return method as unknown as Method; // `run` is only ever called with the output of its own `params`
}

/** The caller's side of a running command line. */
export interface RunIo {
  /** Write to the caller's standard output. Resolves when it may take more, at once when the caller has closed it or is gone. */
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  /** Standard input of the caller, at most `maxBytes`; "" when it has none. Rejects with E_TOO_LARGE above. */
  stdin(maxBytes: number): Promise<string>;
  /** Exit code of the caller when its output closes early. Default 0; turns set 141. */
  pipeExit(code: number): void;
  /** Aborts on SIGINT, SIGTERM or SIGHUP of the caller; the reason is the name of the signal. */
  readonly interrupted: AbortSignal;
  /** Aborts when the caller's output is closed or the caller is gone. A turn goes on; a follow command ends. */
  readonly gone: AbortSignal;
  readonly client: ClientContext;
}

/** Executes one command line in the owner. Throws only defects: errors for the user are written through `err`. */
export type Run = (request: RunRequest, io: RunIo) => Promise<RunResult>;

/** Memory of request keys. What `get` returns was given to `set` within the last 10 minutes, also by an earlier owner. */
export interface KeyMemory {
  get(key: string): Promise<{ result: unknown } | undefined>;
  set(key: string, result: unknown): Promise<void>;
}
