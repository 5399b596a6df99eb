import { AppError } from "../../base/errors.js";
import type { CommandContext } from "../define.js";
import { OFF_HINT } from "./text.js";

/** The project directory of a path, of the conversation, or of where the caller is. */
export async function projectHere(ctx: CommandContext, path?: string): Promise<string> {
  const { session } = ctx;
  const cwd = (session === undefined ? undefined : (await ctx.chat.get(session))?.cwd) ?? ctx.cwd;
  const given = path === undefined ? cwd : path.startsWith("/") ? path : `${cwd}/${path}`;
  return ctx.checkpoints.directoryOf(given, ctx.env, cwd);
}

/** Whether states are kept here: by an option of this run or of the conversation, or by the settings. */
export async function keepsHere({ globals, session, chat, checkpoints }: CommandContext): Promise<boolean> {
  if (globals["checkpoints"] === true || (session !== undefined && (await chat.keepsCheckpoints(session)))) return true;
  return (await checkpoints.status()).enabled;
}

/** A refusal for a checkpoint that is not there says so when checkpoints are off. */
export async function whenOff<T>(ctx: CommandContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "E_NOT_FOUND" || (await keepsHere(ctx))) throw error;
    throw new AppError(error.code, error.message, { ...error.data, hint: OFF_HINT }, error);
  }
}
