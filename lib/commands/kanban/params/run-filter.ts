import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import type { RunFilter } from "../../../contracts/board/api.js";

/** Flags that choose runs by one of their columns. */
export const runFilterParams = {
  state_type: z.enum(["status", "outcome"]).optional().describe("field to filter runs by; requires --state-name"),
  state_name: z.string().optional().describe("value to filter runs by; requires --state-type"),
};

/** @throws E_USAGE when only one of the two is given */
export function checkRunFilter(filter: RunFilter): RunFilter {
  if ((filter.state_type === undefined) !== (filter.state_name === undefined)) {
    throw new AppError("E_USAGE", "--state-type and --state-name must be used together");
  }
  return filter;
}
