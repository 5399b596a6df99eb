import { AppError } from "../../../base/errors.js";
import type { ApprovalOption } from "../../../contracts/chat/questions.js";
import { sessionOf } from "../../conversation/conversation.js";
import type { CommandContext, CommandResult } from "../../define.js";

interface Given {
  readonly answer: ApprovalOption;
  readonly id: string | undefined;
  readonly text?: string;
}

/** Answer an open approval of this conversation. @throws E_NOT_FOUND when none is open */
export async function answerOldest(ctx: CommandContext, { answer, id, text = "" }: Given): Promise<CommandResult> {
  const open = (await ctx.chat.questions(sessionOf(ctx))).filter((one) => one.kind === "approval");
  const asked = id === undefined ? open[0] : open.find((one) => one.request === id);
  if (asked === undefined && id !== undefined && ctx.origin !== undefined)
    throw new AppError("E_ALREADY_RESOLVED", `${id} is already resolved or unknown`, { hint: "" });
  // A named one that is closed differs from one that never was; their keeper knows.
  const request = asked?.request ?? id;
  if (request === undefined) throw new AppError("E_NOT_FOUND", "no pending approval", { hint: "" });
  const by = ctx.origin?.user_name ?? ctx.origin?.platform ?? "a command";
  await ctx.chat.answerApproval(request, { answer, ...(text === "" ? {} : { text }) }, by);
  const left = open.length - 1;
  const more = left > 0 ? `; ${left} more pending` : "";
  const what = asked === undefined ? request : asked.data.command;
  return { text: `${answer === "deny" ? "denied" : `allowed (${answer})`}: ${what}${more}`, data: { request, answer } };
}
