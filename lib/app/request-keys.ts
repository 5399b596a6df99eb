import type { Store } from "../../storage/store.js";
import { answerTo, beginRequest, type RequestName, settleRequest } from "../../storage/tables/state.js";
import type { KeyMemory } from "../backplane/methods.js";
import type { Clock } from "../base/clock.js";

/** Answers of keyed requests, kept for 10 minutes in the state store, so that a request sent again after a restart is not done again. */
export function requestKeys(state: () => Promise<Store>, clock: Clock): KeyMemory {
  return {
    get: async (key) => {
      const text = await (await state()).read((q) => answerTo(q, nameOf(key), clock.now()));
      return text === undefined ? undefined : { result: JSON.parse(text) };
    },
    set: async (key, result) => {
      const [name, at, text] = [nameOf(key), clock.now(), JSON.stringify(result ?? null)];
      await (await state()).write("state.keep-request", async (tx) => {
        await beginRequest(tx, name, at);
        await settleRequest(tx, name, text);
      });
    },
  };
}

/** The backplane's key names the method as well; clients make theirs so that no two have the same. */
const nameOf = (key: string): RequestName => ({ client: "", key, method: key.split(" ", 1)[0] ?? "", paramsSha256: "" });
