import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SessionId } from "../../base/units.js";
import { REASONING_EFFORT } from "../../chat/config/keys.js";
import { noSession } from "../../chat/transcript/session-record.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { SessionStatus } from "../../contracts/chat/session-status.js";
import type { Config } from "../../contracts/config/config.js";
import { abbreviateHome, userHomeOf } from "../../safety/paths/paths.js";
import { gitBranch } from "./git-branch.js";

/** What status lines show of a conversation. Asked for now and then: it reads records and one small file. */
export function statusMethods(chat: ChatApi, config: Config): Methods {
  return new Map([
    [
      "session.status",
      defineMethod({
        params: z.object({
          session_id: z
            .string()
            .min(1)
            .transform((text) => text as SessionId), // proved by the look-up that follows
        }),
        access: "read",
        run: async ({ session_id }) => status(chat, config, session_id),
      }),
    ],
  ]);
}

async function status(chat: ChatApi, config: Config, id: SessionId): Promise<SessionStatus> {
  const session = await chat.get(id);
  if (session === undefined) throw noSession(id);
  const [wanted, goal] = await Promise.all([chat.modelOf(id), chat.goal(id)]);
  const { cwd, ephemeral } = session;
  return {
    session_id: id,
    effort: wanted.effort ?? config.get(REASONING_EFFORT),
    fast: wanted.fast === true,
    ephemeral,
    goal: goal === undefined ? null : { status: goal.status, turns_used: goal.turns_used, max_turns: goal.max_turns },
    directory: abbreviateHome(cwd, userHomeOf(process.env)),
    branch: gitBranch(cwd),
  };
}
