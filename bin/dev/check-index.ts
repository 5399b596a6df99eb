import type { Check } from "./check-type.js";
import { staleTables } from "./index.js";

/** Generated indexes and help tables are what `make index` would write. */
export const checkIndex: Check = {
  name: "index",
  run: async () => {
    const stale = await staleTables();
    return { findings: [...stale.keys()].map((file) => ({ file, rule: "stale", message: "run make index" })) };
  },
};
