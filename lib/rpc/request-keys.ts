import type { Store } from "../../storage/store.js";
import { beginRequest, forgetRequest, type RequestName, settleRequest } from "../../storage/tables/state/state.js";
import type { KeyedRequest, KeyMemory } from "../backplane/methods.js";
import type { Clock } from "../base/time/clock.js";

/**
 * Keyed requests, kept for 10 minutes in the state store: noted before they are begun, so that a request that is sent again after its owner
 * died is not done a second time.
 */
export function requestKeys(state: () => Promise<Store>, clock: Clock): KeyMemory {
  return {
    begin: async (request) => {
      const store = await state();
      const name = nameOf(request);
      const at = clock.now();
      const seen = await store.write("state.begin-request", (tx) => beginRequest(tx, name, at));
      if (seen.kind === "new") return seen;
      return { kind: "seen", answer: seen.result === undefined ? undefined : { result: JSON.parse(seen.result) } };
    },
    settle: async (request, result) => {
      const name = nameOf(request);
      const text = JSON.stringify(result ?? null);
      await (await state()).write("state.settle-request", (tx) => settleRequest(tx, name, text));
    },
    forget: async (request) => {
      const name = nameOf(request);
      await (await state()).write("state.forget-request", (tx) => forgetRequest(tx, name));
    },
  };
}

/** Clients make their keys so that no two have the same. */
const nameOf = ({ key, method, params }: KeyedRequest): RequestName => ({
  client: "",
  key: `${method} ${key}`,
  method,
  paramsSha256: params,
});
