import type { Store } from "../../../storage/store.js";
import { getValue, setValue } from "../../../storage/tables/state/state-values.js";
import type { Clock } from "../../base/time/clock.js";
import type { FoundHook } from "../../contracts/gateway/hooks.js";

/** Which hooks were allowed to run, as they were then. */
export interface Consent {
  /** Those that are as they were seen, and those that are new or changed. */
  sorted(
    hooks: readonly FoundHook[],
  ): Promise<{ readonly accepted: readonly FoundHook[]; readonly unknown: readonly FoundHook[] }>;
  accept(hooks: readonly FoundHook[]): Promise<void>;
}

const KEY = "gateway.hooks.accepted";

export function createConsent(store: Store, clock: Clock): Consent {
  const digests = async (): Promise<Readonly<Record<string, string>>> =>
    JSON.parse((await store.read((q) => getValue(q, KEY))) ?? "{}");
  return {
    sorted: async (hooks) => {
      const known = await digests();
      const same = ({ id, digest }: FoundHook) => known[id] === digest;
      return { accepted: hooks.filter(same), unknown: hooks.filter((hook) => !same(hook)) };
    },
    accept: async (hooks) => {
      const now = clock.now();
      const all = JSON.stringify({
        ...(await digests()),
        ...Object.fromEntries(hooks.map(({ id, digest }) => [id, digest])),
      });
      await store.write("gateway.hooks", (tx) => setValue(tx, KEY, all, now));
    },
  };
}
