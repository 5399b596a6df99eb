import * as z from "zod";
import type { RuleList, RuleScope } from "../../../contracts/config/permissions.js";
import { unusedRule } from "../../../safety/rules/entry.js";
import type { CommandContext, CommandResult } from "../../define.js";
import { ruleJson } from "./render.js";
import { findPermissionPlace } from "./rule-place.js";

/** Parameters of the commands that add one rule. */
export const RULE_PARAMS = {
  rule: z.array(z.string()).min(1).describe("the rule in its short form; quote one that holds options"),
  project: z.boolean().default(false).describe("write it into the project's file"),
  session: z.boolean().default(false).describe("let it hold for this conversation alone"),
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
  const unused = unusedRule(added.rule);
  const note = unused === undefined ? "" : `\nnote: ${unused}`;
  return {
    text: `${list}: ${added.rule} (${where})${note}`,
    data: { ...ruleJson(added), ...(unused === undefined ? {} : { note: unused }) },
  };
}
