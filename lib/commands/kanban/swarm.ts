import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { SwarmWorker } from "../../contracts/board/orchestration.js";
import { defineCommand } from "../define.js";
import { boardFor, makerOf, requirePerson } from "../params/board-target.js";
import { TOLD_HERE } from "./params/notify-place.js";

export default defineCommand({
  path: "kanban swarm",
  summary: "Create worker tasks, a verifier and a synthesizer for one goal.",
  topic: "kanban",
  params: z.object({
    goal: z.string().describe("goal of the swarm"),
    worker: z.array(z.string()).default([]).describe("PROFILE:TITLE[:SKILL,SKILL]; repeatable, at least one"),
    verifier: z.string().describe("profile that verifies the results"),
    synthesizer: z.string().describe("profile that combines the results"),
    tenant: z.string().optional().describe("namespace"),
    priority: z.number().int().default(0).describe("priority, highest first"),
    created_by: z.string().optional().describe("creator (default user)"),
    idempotency_key: z
      .string()
      .optional()
      .describe("idempotency key: return the swarm with this key whose root is not archived, if any"),
  }),
  positionals: ["goal"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async (params, ctx) => {
    const workers = params.worker.map(parseWorker);
    if (workers.length === 0) throw new AppError("E_USAGE", "missing --worker PROFILE:TITLE");
    const { board, warnings: notes } = await boardFor(ctx, "write");
    const by = await requirePerson(ctx);
    const { goal, verifier, synthesizer, tenant, priority, idempotency_key } = params;
    const created_by = params.created_by ?? makerOf(ctx);
    const given = {
      goal,
      workers,
      verifier,
      synthesizer,
      tenant,
      priority,
      created_by,
      idempotency_key,
      origin: ctx.origin,
    };
    const { swarm, warnings } = await ctx.board.swarm(board, given, by);
    const text = [
      `${swarm.created ? "Created swarm" : "Already exists: swarm"} ${swarm.root_id}`,
      `  workers: ${swarm.worker_ids.join(", ")}`,
      `  verifier: ${swarm.verifier_id}`,
      `  synthesizer: ${swarm.synthesizer_id}`,
      ...(ctx.origin === undefined ? [] : [TOLD_HERE]),
    ].join("\n");
    return { text, data: swarm, warnings: [...notes, ...(ctx.json ? [] : warnings)] };
  },
});

/** `PROFILE:TITLE[:SKILL,SKILL]`. A last part with blanks is the end of the title, so that titles may have colons. @throws E_USAGE */
function parseWorker(given: string): SwarmWorker {
  const [profile = "", ...rest] = given.split(":").map((part) => part.trim());
  const last = rest.at(-1) ?? "";
  const skills = rest.length > 1 && last !== "" && !/\s/.test(last) ? last.split(",") : [];
  const title = (skills.length > 0 ? rest.slice(0, -1) : rest).join(": ");
  if (profile === "" || title === "")
    throw new AppError("E_USAGE", `--worker must be PROFILE:TITLE[:SKILL,SKILL], not '${given}'`);
  return { profile, title, skills };
}
