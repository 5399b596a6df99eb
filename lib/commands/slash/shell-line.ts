import { AppError } from "../../base/errors.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { SlashAnswer, SlashCall } from "../../contracts/chat/slash.js";

/** `!ls` and `!!ls` with the command behind the marks; undefined: it is something else. */
export function parseShellLine(text: string): { readonly command: string; readonly tell: boolean } | undefined {
  const [, marks, command = ""] = /^(!!?)\s*([^\s!][\s\S]*)$/.exec(text) ?? [];
  return marks === undefined ? undefined : { command: command.trimEnd(), tell: marks === "!!" };
}

/**
 * Run a shell line of a person in the conversation that it was typed in (core part, 14.4).
 *
 * @throws E_FORBIDDEN in a chat on a platform, E_USAGE outside of a conversation
 */
export async function runShellLine(
  line: { readonly command: string; readonly tell: boolean },
  { session, origin }: Pick<SlashCall, "session" | "origin">,
  chat: Pick<ChatApi, "shellLine">,
): Promise<SlashAnswer> {
  if (origin !== undefined) throw new AppError("E_FORBIDDEN", "shell lines run on the machine only", { hint: "" });
  if (session === undefined)
    throw new AppError("E_USAGE", "no open conversation for this shell line", { hint: "open a conversation first" });
  const data = await chat.shellLine(session, line.command, line.tell);
  const code = data.exit_code === 0 ? [] : [`exit code ${data.exit_code}`];
  const told = line.tell ? ["The model reads this with your next message."] : [];
  const text = [data.output === "" ? "(no output)" : data.output, ...code, ...told].join("\n");
  return { text, data, exit: data.exit_code === 0 ? 0 : 1 };
}
