import { toAppError } from "../base/errors.js";
import type { Ms } from "../base/units.js";
import type { AppOptions } from "../config/app-options.js";
import type { PersonShell } from "../contracts/chat/slash.js";
import { childEnv } from "../safety/redact/env.js";
import { waitForChild } from "../tools/core/child.js";
import { logRedactor } from "./known-secrets.js";

/** Source: core part, 14.4. */
const LIMIT_MS: Ms = 30_000;
const OUTPUT_CHARS = 16_000;

/** Runs command lines that a person wrote into the settings. They need no approval; secrets are masked in what they print. */
export function createPersonShell({ spawner, clock, ids, net, config, home }: AppOptions): PersonShell {
  return {
    run: async (command, { cwd, env, signal }) => {
      let said = "";
      try {
        const child = await spawner.spawn({
          file: "/bin/sh",
          args: ["-c", command],
          cwd,
          env: childEnv(env, config),
          forPerson: true,
          stdin: "ignore",
          stdout: "pipe",
          stderr: "pipe",
          endsWithOwner: true,
        });
        child.onOutput((chunk) => {
          if (said.length < OUTPUT_CHARS) said += chunk.toString("utf8");
        });
        const { how, exit } = await waitForChild(
          { ports: { spawner, clock, ids, net }, signal },
          child,
          LIMIT_MS,
          "nothing",
        );
        const text = logRedactor(config, home)(said.slice(0, OUTPUT_CHARS)).trim();
        return { text, problem: endOf(how, exit) };
      } catch (error) {
        return { text: "", problem: toAppError(error).message };
      }
    },
  };
}

function endOf(
  how: Awaited<ReturnType<typeof waitForChild>>["how"],
  exit: { readonly code: number | null; readonly signal: string | null },
) {
  if (how === "timeout") return `it timed out after ${LIMIT_MS / 1000} s`;
  if (how === "interrupted") return "interrupted";
  return exit.code === 0 ? undefined : `exit code ${exit.code ?? exit.signal}`;
}
