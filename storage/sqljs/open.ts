import { AppError } from "../../lib/base/errors.js";
import type { OpenOptions } from "../open.js";
import type { Store, StoreSpec } from "../store.js";

/** Open a store of the `sqljs` engine. */
export function openSqljs(spec: StoreSpec, _options: OpenOptions): Promise<Store> {
  return Promise.reject(new AppError("E_INTERNAL", `${spec.name}: not there yet`));
}
