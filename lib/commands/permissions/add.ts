import * as z from "zod";
import { defineCommand } from "../define.js";
import { addRule, RULE_PARAMS } from "./parts/add-rule.js";

export default defineCommand({
  path: "permissions add",
  summary: "Add a rule that allows, asks or denies.",
  topic: "permissions",
  params: z.object({ list: z.enum(["allow", "ask", "deny"]).describe("what the rule does"), ...RULE_PARAMS }),
  positionals: ["list", "rule..."],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: ({ list, ...given }, ctx) => addRule(list, given, ctx),
});
