import type { PermissionPlace } from "../../../contracts/config/permissions.js";
import type { CommandContext } from "../../define.js";

/** The place whose permissions a command is about: the conversation that it was typed in or names, else the caller's directory. */
export async function findPermissionPlace(ctx: CommandContext): Promise<PermissionPlace> {
  const named = ctx.globals["resume"];
  const found = typeof named === "string" && named !== "" ? await ctx.chat.find(named) : undefined;
  const session = ctx.session === undefined ? found : await ctx.chat.get(ctx.session);
  return session === undefined
    ? { cwd: ctx.cwd, env: ctx.env }
    : { cwd: session.cwd, env: ctx.env, session: session.id };
}
