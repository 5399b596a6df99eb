import type { CageState } from "../../contracts/config/cage.js";
import type { CageStatus } from "./types.js";

/** The state of the cage for commands and front ends. */
export function describeCage(status: CageStatus): CageState {
  if (status.on) return { state: "on", why: "", remedy: "" };
  return { state: status.kind, why: status.why, remedy: status.remedy };
}
