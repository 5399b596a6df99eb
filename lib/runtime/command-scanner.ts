import { withLinkedSignal } from "../base/async/abort-any.js";
import { AppError } from "../base/errors.js";
import type { AppOptions } from "../config/app-options.js";
import type { LoadedConfig } from "../config/load-config.js";
import { SCANNER } from "../safety/config/keys.js";
import { childEnv } from "../safety/redact/env.js";
import { toScreenLine } from "../safety/redact/text.js";
import type { Permission } from "../tools/core/define.js";

type ScannerParts = Pick<AppOptions, "spawner" | "clock" | "log"> & { readonly config: LoadedConfig };
/** What of a scanner's words is read. */
const WORDS_AT_MOST = 4_096;

/**
 * The program of `security.scanner_command` looks at a command before it is decided about. It gets `{"tool", "command", "cwd"}` on standard
 * input. Exit 0: it finds nothing; 1: it finds what the first line of its output says; anything else, and being late, is a failure.
 */
export function createScanner(
  { spawner, clock, log, config }: ScannerParts,
  env: Readonly<Record<string, string>>,
): (permission: Permission, signal: AbortSignal) => Promise<string | undefined> {
  const failed = (why: string): string | undefined => {
    log.warning("command scanner failed", { why });
    return config.get(SCANNER.failOpen) ? undefined : `the command scanner failed: ${why}`;
  };
  return async (permission, signal) => {
    const program = config.get(SCANNER.command).trim();
    if (program === "") return undefined;
    const control = new AbortController();
    const timeoutMs = config.get(SCANNER.timeout) * 1000;
    try {
      const child = await spawner.spawn({
        file: "/bin/sh",
        args: ["-c", program],
        cwd: permission.cwd,
        env: childEnv(env, config),
        forPerson: true,
        stdin: "pipe",
        stdout: "pipe",
        stderr: "ignore",
        endsWithOwner: true,
      });
      let said = "";
      child.onOutput((chunk) => {
        if (said.length < WORDS_AT_MOST) said += chunk.toString("utf8");
      });
      const late = withLinkedSignal([signal, control.signal], (either) => clock.sleep(timeoutMs, either)).then(
        () => "late" as const,
        () => "late" as const,
      );
      child.write(`${JSON.stringify({ tool: permission.tool, command: permission.command, cwd: permission.cwd })}\n`);
      child.closeInput();
      const exit = await Promise.race([child.exited, late]);
      if (exit === "late") {
        await spawner.endGroup(child.pid, 0);
        if (signal.aborted) throw signal.reason;
        return failed(`it timed out after ${timeoutMs / 1000} s`);
      }
      if (exit.code === 0) return undefined;
      if (exit.code !== 1) return failed(`it exited with ${exit.code ?? exit.signal ?? "no status"}`);
      await child.closed;
      return toScreenLine(said.split("\n", 1)[0] ?? "", 300) || "flagged by the command scanner";
    } catch (error) {
      if (signal.aborted || error instanceof AppError) throw error;
      return failed(error instanceof Error ? error.message : String(error));
    } finally {
      control.abort();
    }
  };
}
