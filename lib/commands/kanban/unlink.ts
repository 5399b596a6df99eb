import * as z from "zod";
import { defineCommand } from "../define.js";
import { taskIdParam } from "../params/board-target.js";
import { changeLink } from "./params/link.js";

export default defineCommand({
  path: "kanban unlink",
  summary: "Remove a dependency.",
  topic: "kanban",
  params: z.object({ parent: taskIdParam, child: taskIdParam }),
  positionals: ["parent", "child"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: (ends, ctx) => changeLink("unlink", ends, ctx, "Unlinked"),
});
