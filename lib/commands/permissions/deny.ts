import * as z from "zod";
import { defineCommand } from "../define.js";
import { addRule, RULE_PARAMS } from "./parts/add-rule.js";

export default defineCommand({
  path: "permissions deny",
  summary: "Add a deny rule.",
  topic: "permissions",
  params: z.object(RULE_PARAMS),
  positionals: ["rule..."],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: (given, ctx) => addRule("deny", given, ctx),
});
