import * as z from "zod";
import type { WireError } from "../../../base/errors.js";

/** A request of JSON-RPC 2.0. Without `id` it gets no answer. `key` and `again` are those of the owner's messages: they make a change safe to repeat. */
export const callSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(200), z.number(), z.null()]).optional(),
  method: z.string().min(1).max(100),
  params: z.record(z.string(), z.unknown()).default({}),
  key: z.string().min(1).max(200).optional(),
  again: z.boolean().optional(),
});
export type RpcCall = z.output<typeof callSchema>;
export type CallId = string | number | null;

/** Calls of one batch. */
export const BATCH_MAX = 64;

/** Codes of JSON-RPC 2.0; the owner's own code stands in `data.code`. */
export const RPC_CODES = {
  parse: -32_700,
  invalid: -32_600,
  unknown: -32_601,
  params: -32_602,
  internal: -32_603,
  owner: -32_000,
} as const;

const BY_OWN_CODE: Readonly<Record<string, number>> = {
  E_UNKNOWN_METHOD: RPC_CODES.unknown,
  E_INVALID_PARAMS: RPC_CODES.params,
  E_INTERNAL: RPC_CODES.internal,
};

/** An answer of JSON-RPC, to be sent alone or in the list of its batch. */
export type RpcAnswer =
  | { readonly jsonrpc: "2.0"; readonly id: CallId; readonly result: unknown }
  | {
      readonly jsonrpc: "2.0";
      readonly id: CallId;
      readonly error: { readonly code: number; readonly message: string; readonly data: object };
    };

export const toRpcResult = (id: CallId, result: unknown): RpcAnswer => ({ jsonrpc: "2.0", id, result: result ?? null });

/** What went wrong. `data` has the owner's code, its hint, and what else it tells. */
export const toRpcError = (id: CallId, { code, message, hint, data }: WireError): RpcAnswer => ({
  jsonrpc: "2.0",
  id,
  error: { code: BY_OWN_CODE[code] ?? RPC_CODES.owner, message, data: { ...data, code, hint } },
});

/** Something other than a call. */
export const garbageOf = (id: CallId, code: number, message: string): RpcAnswer => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, data: { code: "E_INVALID" } },
});

/** A notification of the owner. */
export const notification = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params });
