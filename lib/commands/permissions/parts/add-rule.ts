import * as z from "zod";
import type { RuleList, RuleScope } from "../../../contracts/config/permissions.js";
import type { CommandContext, CommandResult } from "../../define.js";
import { ruleJson } from "./render.js";
import { findPermissionPlace } from "./rule-place.js";

/** Parameters of the commands that add one rule. */
export const RULE_PARAMS = {
  rule: z.array(z.string()).min(1).describe("rule in short form; quote it if it contains options"),
  project: z.boolean().default(false).describe("store it in the project's file"),
  session: z.boolean().default(false).describe("this conversation only"),
} as const;

interface Given {
  readonly rule: readonly string[];
  readonly project: boolean;
  readonly session: boolean;
}

/** Add a rule to a file or a conversation. */
export async function addRule(
  list: RuleList,
  { rule, project, session }: Given,
  ctx: CommandContext,
): Promise<CommandResult> {
  const scope: RuleScope = project ? "project" : session ? "session" : "user";
  const added = await ctx.chat.permissionAdd(list, rule.join(" "), scope, await findPermissionPlace(ctx));
  const where = scope === "session" ? "this conversation" : added.where;
  return { text: `${list}: ${added.rule} (${where})`, data: ruleJson(added) };
}
