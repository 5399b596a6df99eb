import { setFlagsFromString } from "node:v8";
import { isSwitchedOff } from "./plain.js";

/**
 * How SQLite, which is WebAssembly, is compiled in this process. Called before any of it is.
 *
 * @param short The process ends soon
 */
export function setEngineFlags(short: boolean): void {
  if (isSwitchedOff("engine-flags")) return;
  // A command calls few of its functions, and each only a few times: without the optimising compiler a create takes 60 % of the time, `-z` as well.
  if (short) setFlagsFromString("--liftoff-only");
  // Counted in bytes of code that loops span, its largest functions were "hot" after thirty steps: optimising them kept 30 to 50 MB more in an owner,
  // a quarter to a half. The number is the largest there is.
  else setFlagsFromString("--wasm-tiering-budget=2147483647");
}
