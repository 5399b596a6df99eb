import { AppError } from "../../base/errors.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { CronApi, CronJob, JobChange } from "../../contracts/gateway/cron.js";
import { guardRead } from "../../safety/paths/paths.js";
import type { ToolContext } from "../core/define.js";
import { pathOf, scopeOf } from "../run/scope.js";

/** What a conversation does with jobs. */
export type OwnJobs = Pick<CronApi, "list" | "create" | "edit" | "pause" | "resume" | "run" | "remove">;

/**
 * Jobs as the user that the call works for may see and change them: those of another one's chat are not there, and a job of his own runs no script and
 * delivers to his own chat. A run has the reach of the job's maker.
 */
export function withinLimits(cron: OwnJobs, ctx: ToolContext): OwnJobs {
  const chat = ctx.reach?.limits()?.chat;
  if (chat === undefined) return cron;
  const mine = async () => (await cron.list(true)).filter((job) => isOf(chat, job));
  const own = async (name: string) => found(name, await mine()).id;
  const checked = async (change: JobChange): Promise<JobChange> => {
    refuse(change, chat, ctx);
    const before = await Promise.all((change.context_from ?? []).map(own));
    return change.context_from === undefined ? change : { ...change, context_from: before };
  };
  return {
    list: async (all) => (await cron.list(all)).filter((job) => isOf(chat, job)),
    create: async (job) => cron.create({ ...job, ...(await checked(job)) }),
    edit: async (name, change) => cron.edit(await own(name), await checked(change)),
    pause: async (name, reason) => cron.pause(await own(name), reason),
    resume: async (name) => cron.resume(await own(name)),
    run: async (name) => cron.run(await own(name)),
    remove: async (name) => cron.remove(await own(name)),
  };
}

const isOf = ({ platform, chat_id, user_id }: ChatOrigin, { origin }: CronJob): boolean =>
  origin?.platform === platform && origin.chat_id === chat_id && origin.user_id === user_id;

function found(name: string, jobs: readonly CronJob[]): CronJob {
  const byId = jobs.find(({ id }) => id === name);
  const named = jobs.filter((job) => job.name === name);
  const [first] = byId === undefined ? named : [byId];
  if (first === undefined)
    throw new AppError("E_NOT_FOUND", `there is no job ${JSON.stringify(name)}: it was not made in this chat`, {
      hint: "action list shows those that were",
    });
  if (byId !== undefined || named.length === 1) return first;
  const candidates = named.map(({ id, name: of }) => ({ id, name: of }));
  throw new AppError("E_AMBIGUOUS", `${named.length} jobs have the name ${JSON.stringify(name)}`, {
    candidates,
    hint: "use an id",
  });
}

/** @throws E_FORBIDDEN for what only the owner of the home says of a job */
function refuse({ script, no_agent, workdir, deliver }: JobChange, chat: ChatOrigin, ctx: ToolContext): void {
  if (script || no_agent)
    throw new AppError("E_FORBIDDEN", "scripts are run for the owner of this home only", { hint: "leave script out" });
  const place = workdir ? guardRead(pathOf(workdir, ctx), scopeOf(ctx)) : undefined;
  if (place?.ok === false) throw new AppError("E_FORBIDDEN", place.why, { hint: "choose another workdir" });
  const own = [chat.platform, chat.chat_id].join(":").toLowerCase();
  const elsewhere = (deliver ?? "").split(",").find((part) => {
    const target = part.trim().toLowerCase();
    return (
      target !== "" && target !== "origin" && target !== "local" && target !== own && !target.startsWith(`${own}:`)
    );
  });
  if (elsewhere !== undefined)
    throw new AppError("E_FORBIDDEN", "a job of this chat delivers to this chat only", {
      hint: "deliver origin, or local",
    });
}
