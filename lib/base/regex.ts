import { createContext, Script } from "node:vm";
import type { Ms } from "./units.js";

const script = new Script("lines.map((line) => { const found = pattern.exec(line); return found === null ? -1 : found.index; })");

/**
 * Where a pattern matches in each line (-1: nowhere), given up after `within`: a pattern that backtracks without end is stopped.
 * `undefined`: it took too long. Blocks for that time, so keep it short.
 */
export function matchWithin(pattern: RegExp, lines: readonly string[], within: Ms): readonly number[] | undefined {
  try {
    const found: unknown = script.runInContext(createContext({ pattern, lines }), { timeout: within });
    return Array.from(found as ArrayLike<number>); // the script above makes a list of numbers
  } catch (error) {
    if (typeof error === "object" && error !== null && Reflect.get(error, "code") === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  }
}

/**
 * A pattern may need more than linear time: a repetition inside a repetition, a back reference or look-around, or several open repetitions.
 * Says yes too often rather than too seldom.
 */
export function mayBacktrack(source: string): boolean {
  const bare = source.replace(/\\[^1-9kbBdDwWsS]/g, "_").replace(/\[(?:\\.|[^\]\\])*\]/g, "_");
  if (/\\[1-9k]|\(\?/.test(bare.replace(/\(\?:/g, "("))) return true;
  if (/\)\s*(?:[*+]|\{\d+,)/.test(bare)) return true;
  return (bare.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > 2;
}
