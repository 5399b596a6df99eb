import type { Log } from "../../../../lib/base/log/log.js";
import type { RuntimeHost } from "../../../../lib/contracts/runtimes/runtime.js";

/** Id of a request as the server gave it: `0` and `"0"` are two. */
export type RequestId = number | string;

/** What a request is answered with. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** What requests are answered with. */
export interface RequestsInput {
  readonly host: Pick<RuntimeHost, "permit" | "ask" | "notice">;
  /** Items that `item/started` told, by their ids, as they were told. */
  readonly itemsStarted: ReadonlyMap<string, unknown>;
  /** Directory of the thread. */
  readonly cwd: string;
  /** Name of the product's own MCP server at the program. */
  readonly callbackServer: string;
  readonly log: Log;
}

/** What a handler answers with. */
export interface RequestContext extends RequestsInput {
  /** Aborts when the turn is interrupted, or the server withdraws the request. */
  readonly signal: AbortSignal;
}

/** Answers one method. */
export interface RequestHandler {
  /** Throws for params that cannot be understood. */
  answer(params: unknown, context: RequestContext): Promise<Reply>;
  /** The answer that allows nothing: params that cannot be understood, or a failure of ours. */
  readonly refusal: Reply;
  /** Params that it knows by name. A schema that requires another one is shown to the user (`schemas.ts`). */
  readonly params: readonly string[];
}

/** JSON-RPC: this client has no such method. */
export const unsupported = (method: string): Reply => ({
  error: { code: -32601, message: `Unsupported method: ${method}` },
});
