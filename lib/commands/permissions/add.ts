import * as z from "zod";
import { defineCommand } from "../define.js";
import { addRule, RULE_PARAMS } from "./parts/add-rule.js";

export default defineCommand({
  path: "permissions add",
  summary: "Add an allow, ask or deny rule.",
  topic: "permissions",
  params: z.object({ list: z.enum(["allow", "ask", "deny"]).describe("allow, ask or deny"), ...RULE_PARAMS }),
  positionals: ["list", "rule..."],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: ({ list, ...given }, ctx) => addRule(list, given, ctx),
});
