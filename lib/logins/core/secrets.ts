import { join } from "node:path";
import { readFileChange, readTextSync } from "../../base/fs/text-file.js";
import { isRecord, jsonOf } from "../../base/json/record.js";

/** Tokens that were replaced while this process ran are still secrets; the oldest of more than these are forgotten. */
const REMEMBERED = 256;

/** Every secret of the login store of a root home. The same array for as long as there is nothing new: it is asked for with each text that is shown. */
export function loginSecrets(root: string): () => readonly string[] {
  const path = join(root, "auth.json");
  let stamp: string | undefined;
  let values: readonly string[] = [];
  return () => {
    const now = readFileChange(path)?.stamp;
    if (now === stamp) return values;
    stamp = now;
    const found = secretsIn(now === undefined ? undefined : jsonOf(readTextSync(path) ?? ""));
    values = [...new Set([...found, ...values])].slice(0, REMEMBERED);
    return values;
  };
}

function secretsIn(value: unknown): readonly string[] {
  const pool = isRecord(value) ? value["credential_pool"] : undefined;
  const entries = isRecord(pool) ? Object.values(pool).flat() : [];
  return entries.flatMap((entry) => {
    const tokens = isRecord(entry) ? [entry["access_token"], entry["refresh_token"]] : [];
    return tokens.flatMap((token) => (typeof token === "string" && token.length >= 8 ? [token] : []));
  });
}
