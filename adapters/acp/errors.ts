import { RequestError } from "@agentclientprotocol/sdk";
import { toAppError } from "../../lib/base/errors.js";

const INVALID: ReadonlySet<string> = new Set([
  "E_INVALID",
  "E_INVALID_PARAMS",
  "E_USAGE",
  "E_AMBIGUOUS",
  "E_TOO_LARGE",
]);

/** An error of the owner as the protocol carries it: what went wrong and what to do, in one text, and the code for machines. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { code, message, hint } = toAppError(error);
  const text = hint === "" ? message : `${message}; ${hint}`;
  const data = { code, ...(hint === "" ? {} : { hint }) };
  if (code === "E_NOT_FOUND") return new RequestError(-32002, text, data);
  return new RequestError(INVALID.has(code) ? -32602 : -32603, text, data);
}
