import { systemCode } from "../../base/errors.js";
import type { Spawner } from "../../base/process/spawn.js";

export interface ProgramResult {
  readonly code: number;
  /** Both streams, as they came. */
  readonly out: string;
}

/** Runs a program of the system to its end. Undefined: unknown program. */
export type RunProgram = (file: string, args: readonly string[]) => Promise<ProgramResult | undefined>;

const MISSING = new Set(["ENOENT", "EACCES"]);

export const programsOf =
  (spawner: Spawner, env: Readonly<Record<string, string>>, cwd: string): RunProgram =>
  async (file, args) => {
    try {
      const child = await spawner.spawn({ file, args, cwd, env, stdin: "ignore" });
      let out = "";
      child.onOutput((chunk) => {
        out += chunk.toString("utf8");
      });
      const [{ code }] = await Promise.all([child.exited, child.closed]);
      return { code: code ?? 1, out };
    } catch (error) {
      if (MISSING.has(systemCode(error) ?? "")) return undefined;
      throw error;
    }
  };
