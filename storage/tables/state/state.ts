import { AppError } from "../../../lib/base/errors.js";
import { LIMITS } from "../../../lib/base/limits.js";
import type { EpochMs } from "../../../lib/base/units.js";
import type { Tx } from "../../store.js";

/** Names one request of one client, so that the same request sent again has one effect. */
export interface RequestName {
  readonly client: string;
  readonly key: string;
  readonly method: string;
  /** SHA-256 of the parameters: a key used for something else is a mistake of the client. */
  readonly paramsSha256: string;
}

/** What is known of a request. `result` is the JSON text of its answer, undefined while it is worked on or when its owner died meanwhile. */
export type RequestSeen = { readonly kind: "new" } | { readonly kind: "seen"; readonly result: string | undefined };

interface RequestRow {
  method: string;
  params_sha256: string;
  result: string | null;
}

/**
 * Note that a request is worked on, once. Keys older than 10 minutes are forgotten on the way.
 *
 * @throws E_CONFLICT when the key was used for another request
 */
export async function beginRequest(tx: Tx, name: RequestName, now: EpochMs): Promise<RequestSeen> {
  await forgetRequests(tx, now);
  const row = await tx.get<RequestRow>(
    "SELECT method, params_sha256, result FROM request_keys WHERE client = ? AND request_key = ?",
    [name.client, name.key],
  );
  if (row) return seen(name, row);
  const sql =
    "INSERT INTO request_keys (client, request_key, method, params_sha256, created_at) VALUES (?, ?, ?, ?, ?)";
  await tx.run(sql, [name.client, name.key, name.method, name.paramsSha256, now]);
  return { kind: "new" };
}

function seen(name: RequestName, row: RequestRow): RequestSeen {
  if (row.method === name.method && row.params_sha256 === name.paramsSha256)
    return { kind: "seen", result: row.result ?? undefined };
  throw new AppError("E_CONFLICT", `request key ${name.key} was used for another request (${row.method})`, {
    key: name.key,
  });
}

/** Keep the answer for those who ask again. `false`: the key was forgotten meanwhile. */
export async function settleRequest(
  tx: Tx,
  name: Pick<RequestName, "client" | "key">,
  result: string,
): Promise<boolean> {
  const sql = "UPDATE request_keys SET result = ? WHERE client = ? AND request_key = ?";
  return (await tx.run(sql, [result, name.client, name.key])) === 1;
}

/** Forget one request, so that it may be asked again. */
export async function forgetRequest(tx: Tx, name: Pick<RequestName, "client" | "key">): Promise<void> {
  await tx.run("DELETE FROM request_keys WHERE client = ? AND request_key = ?", [name.client, name.key]);
}

/** Forget requests older than 10 minutes. @returns how many */
async function forgetRequests(tx: Tx, now: EpochMs): Promise<number> {
  return tx.run("DELETE FROM request_keys WHERE created_at < ?", [now - LIMITS.requestKeyMs]);
}
