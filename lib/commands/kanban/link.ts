import * as z from "zod";
import { defineCommand } from "../define.js";
import { taskIdParam } from "../params/board-target.js";
import { changeLink } from "./params/link.js";

export default defineCommand({
  path: "kanban link",
  summary: "Make a task depend on another.",
  topic: "kanban",
  params: z.object({ parent: taskIdParam, child: taskIdParam }),
  positionals: ["parent", "child"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: (ends, ctx) => changeLink("link", ends, ctx, "Linked"),
});
