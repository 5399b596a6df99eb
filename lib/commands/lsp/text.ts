import type { InstallOutcome, LanguageServerCaller, ServerState } from "../../contracts/owner/language-servers.js";
import type { CommandContext, CommandResult } from "../define.js";

/** The caller's PATH decides which programs are found. */
export const callerOf = ({ env, signal }: CommandContext): LanguageServerCaller => ({ env, signal });

/** One line for a server. */
export function serverLine({ id, state, disabled, program, install, note }: ServerState): string {
  const where = program ?? (state === "missing" ? `agent lsp install ${id}` : `by hand: ${install}`);
  return `${id.padEnd(24)} ${(disabled ? "disabled" : state).padEnd(12)} ${where}${note === undefined ? "" : ` (${note})`}`;
}

/** What came of installations, one line each. */
export function outcomes(all: readonly InstallOutcome[]): Pick<CommandResult, "text" | "exit"> {
  const text = all.map(({ id, ok, message }) => `${id}: ${ok ? "" : "failed: "}${message}`).join("\n");
  return { text: text === "" ? "nothing to install" : text, exit: all.every(({ ok }) => ok) ? 0 : 1 };
}
