import * as z from "zod";
import { toScreenLine } from "../../../../lib/safety/redact/text.js";
import type { Reply, RequestHandler } from "./types.js";

const PARAMS = z.looseObject({ reason: z.string().nullish() });

/** One object for all versions: current ones read `permissions` and `scope`, older ones `decision`. */
const REFUSED: Reply = { result: { permissions: {}, scope: "turn", decision: "decline" } };

/** `item/permissions/requestApproval`: more permissions for the rest of the turn are never given. */
export const answerPermissions: RequestHandler = {
  refusal: REFUSED,
  params: ["threadId", "turnId", "itemId", "startedAtMs", "environmentId", "cwd", "reason", "permissions"],
  answer: async (given, { host }) => {
    const { reason } = PARAMS.parse(given);
    const why = reason === null || reason === undefined || reason.trim() === "" ? "" : `: ${toScreenLine(reason, 200)}`;
    host.notice({ level: "info", text: `declined more permissions for the app-server${why}` });
    return REFUSED;
  },
};
