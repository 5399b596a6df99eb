import type { Store, StoreSpec } from "../store.js";
import { openSqljs } from "./open.js";
import type { OpenOptions } from "./options.js";

export type { OpenOptions } from "./options.js";

/**
 * Open a board or state store. The caller holds the owner's lock, unless `readonly`.
 *
 * @throws E_STORE with `data.reason`: damaged, diverged, foreign, newer. The files are as they were.
 */
export function openStore(spec: StoreSpec, options: OpenOptions): Promise<Store> {
  return openSqljs(spec, options);
}
