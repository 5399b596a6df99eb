import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { CommandContext } from "../define.js";

/** The conversation that a command looks at: the one that is named, the one that it was typed in, or the newest of this directory. */
export async function lookedAt(name: string | undefined, ctx: CommandContext): Promise<SessionId> {
  const named = name ?? (typeof ctx.globals["resume"] === "string" ? ctx.globals["resume"] : undefined);
  if (named !== undefined) return (await ctx.chat.find(named)).id;
  if (ctx.session !== undefined) return ctx.session;
  const [newest] = await ctx.chat.list({ cwd: ctx.cwd, limit: 1 });
  if (newest !== undefined) return newest.id;
  throw new AppError("E_NOT_FOUND", "no session in this directory", {
    hint: "agent sessions list shows all sessions; pass an id",
  });
}
