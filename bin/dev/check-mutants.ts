import { existsSync, readFileSync } from "node:fs";
import { MUTANTS } from "../../fixtures/mutants.js";
import type { Check } from "./check-type.js";

/** Every sabotage still fits its file, so that the list cannot rot. */
export const checkMutants: Check = {
  name: "mutants",
  run: () => ({
    findings: MUTANTS.flatMap(({ id, file, find }) => {
      const count = existsSync(file) ? readFileSync(file, "utf8").split(find).length - 1 : 0;
      return count === 1 ? [] : [{ file, rule: "mutant", message: `${id} occurs ${count} times: ${find}` }];
    }),
  }),
};
