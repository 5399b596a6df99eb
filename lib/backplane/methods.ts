import type { z } from "zod";
import { AppError } from "../base/errors.js";
import type { LineKey } from "../contracts/board/board.js";
import type { RunRequest, RunResult, WireClaim } from "../contracts/wire/wire.js";

/** One connected client, as methods see it. */
export interface ClientContext {
  /** Number of the connection, from 1; never used again by this owner. */
  readonly id: number;
  readonly transport: "socket" | "web" | "local";
  /** What the client calls itself (`cli`, `workspace`, `worker`, ...). Not proved. */
  readonly kind: string;
  /** Set for a board worker. Methods compare it in the transaction that changes something. */
  readonly claim?: WireClaim;
  /** A tool of this home started the client: it may look and work on the board. Absent: it cannot have. */
  readonly fromTool?: (() => Promise<boolean>) | undefined;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** One request of a client. */
export interface CallContext {
  /** The client's key of a changing request. The backplane repeats the first answer by itself; a method may store it as well. */
  readonly key?: string;
  /** It was sent before over a connection that was lost: a method that is safe to repeat looks first whether it has done it. */
  readonly again?: boolean;
}

/** What became of a request that an owner had noted and did not answer. `not done`: it is done now. */
export type Recovered = { readonly result: unknown } | "not done" | "unknown";

/** A method of the owner. What it throws goes to the caller as an error; what it returns must be JSON. */
export interface Method<P extends z.ZodType = z.ZodType> {
  readonly params: P;
  /** `read` changes nothing and ignores `key`. */
  readonly access: "read" | "write" | "admin";
  /** It shows what is for people alone: no process that a tool started may call it, although it reads. */
  readonly people?: boolean;
  /** A client that presented a claim may call it. Default false. */
  readonly workers?: boolean;
  /**
   * What a repeated request means whose first answer is not known, because the owner died. `safe`: doing it again is the same as once, by
   * nature or by what `call.again` makes it look for; its answers are remembered by this process alone. `noted` (default): it is noted
   * durably before it is begun, and answered `E_OUTCOME_UNKNOWN` unless `recover` finds out.
   */
  readonly repeat?: (params: z.output<P>) => "safe" | "noted";
  readonly recover?: (params: z.output<P>, client: ClientContext, call: CallContext) => Promise<Recovered>;
  readonly run: (params: z.output<P>, client: ClientContext, call: CallContext) => Promise<unknown>;
}

export type Methods = ReadonlyMap<string, Method>;

/** Declare a method; `run` gets what `params` parsed. */
export function defineMethod<P extends z.ZodType>(method: Method<P>): Method {
  return method as unknown as Method; // `run` is only ever called with the output of its own `params`
}

/** @throws E_FORBIDDEN for a process that a tool started: it does not count as a front end, whatever token it has */
export async function refuseTool({ fromTool }: Pick<ClientContext, "fromTool">, what: string): Promise<void> {
  if (fromTool === undefined || !(await fromTool())) return;
  throw new AppError("E_FORBIDDEN", `${what} is not available to processes started by the agent's tools`, {
    hint: "they may read, and use agent kanban; ask the user for anything else",
  });
}

/** The caller's side of a running command line. */
export interface RunIo {
  /** Write to the caller's standard output. Resolves when it may take more, at once when the caller has closed it or is gone. */
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  /** The same as `out` for what is UTF-8 already. */
  bytes(piece: Uint8Array): Promise<void>;
  /** Standard input of the caller, at most `maxBytes`; "" without one. Rejects with E_TOO_LARGE above. `hidden`: see the commands. */
  stdin(maxBytes: number, hidden?: string): Promise<string>;
  /** Exit code of the caller when its output closes early. Default 0; turns set 141. */
  pipeExit(code: number): void;
  /** How far a follow command has come. */
  reached(cursor: number): void;
  /** Aborts on SIGINT, SIGTERM or SIGHUP of the caller; the reason is the name of the signal. */
  readonly interrupted: AbortSignal;
  /** The caller may run the line again, or does, when an owner ends before it answers. */
  readonly line?: LineKey | undefined;
  /** Aborts when the caller's output is closed or the caller is gone. A turn goes on; a follow command ends. */
  readonly gone: AbortSignal;
  readonly client: ClientContext;
}

/** Executes one command line in the owner. Throws only defects: errors for the user are written through `err`. */
export type ExecuteLine = (request: RunRequest, io: RunIo) => Promise<RunResult>;

/** One keyed request, as it is remembered for 10 minutes. */
export interface KeyedRequest {
  readonly key: string;
  readonly method: string;
  /** SHA-256 of the parameters: a key that was used for something else is a mistake of the client. */
  readonly params: string;
}

/** `seen` without an answer: it was begun, and its outcome is unknown. */
export type KeySeen =
  | { readonly kind: "new" }
  | { readonly kind: "seen"; readonly answer: { readonly result: unknown } | undefined };

/** Memory of request keys, of this owner or of all owners of a home. */
export interface KeyMemory {
  /** Note a request before it is begun. @throws E_CONFLICT when the key was used for another request */
  begin(request: KeyedRequest): Promise<KeySeen>;
  /** Keep the answer for those who ask again. */
  settle(request: KeyedRequest, result: unknown): Promise<void>;
  /** It failed and changed nothing: it may be asked again. */
  forget(request: KeyedRequest): Promise<void>;
}
