import type { JudgeParts } from "../chat/session-actor/session-actor-api.js";
import type { AppOptions } from "../config/app-options.js";
import { createAuxiliary } from "../models/auxiliary-ask.js";
import { API_MAX_RETRIES, STREAM_RETRIES } from "../models/keys.js";
import type { Models } from "../models/select.js";
import { readChangeStat } from "../safety/git/change-stat.js";

type JudgeOptions = Pick<AppOptions, "config" | "clock" | "ids" | "net" | "spawner">;

/** What judges goals: side work in the slot `goal_judge`, with the settings of this home or profile. */
export function goalJudge({ config, clock, ids, net, spawner }: JudgeOptions, models: Models): JudgeParts {
  const retries = {
    random: Math.random,
    attempts: config.get(API_MAX_RETRIES),
    streamRetries: config.get(STREAM_RETRIES),
  };
  const ask = createAuxiliary({ ...retries, models, clock, ids, rebuild: () => net.rebuild() });
  return {
    diffStat: (cwd, env) => readChangeStat({ spawner, clock, env }, cwd),
    ask: async (request, signal) => {
      const answer = await ask("goal_judge", request, signal);
      if (answer.ok) return answer;
      return {
        ok: false,
        why: answer.why === "failed" ? `${answer.class}: ${answer.message}` : "no model configured for judging",
      };
    },
  };
}
