import type { ModelChoice, ModelFailure } from "../../contracts/models/model.js";
import type { ModelLine } from "../../contracts/models/model-line.js";
import type { ProviderChain, TellModelChange, TurnDeps } from "./turn-types.js";

/** Compactions that one round may ask for (core part, 4.3). */
const MAX_ROOM = 3;

/** The line of one turn, with `primary` at its head. */
export function createFailover(primary: ModelChoice, line: ModelLine | undefined): ProviderChain {
  let choice = primary;
  const tried: string[] = [];
  const move = async (cause: string, tell: TellModelChange): Promise<boolean> => {
    const before = choice;
    const next = await line?.next(before);
    if (!next) return false;
    choice = next;
    const shown = ({ provider, model }: ModelChoice) => ({ provider: provider.id, model });
    await tell("fallback", { from: shown(before), to: shown(next), cause });
    const text = `${before.provider.id} failed (${cause}), switching to ${next.model} via ${next.provider.id}`;
    await tell("notice", { level: "warning", code: "fallback", text });
    return true;
  };
  return {
    get choice() {
      return choice;
    },
    get left() {
      return line?.left === true;
    },
    get tried() {
      const all = [...tried, ...(line?.unusable ?? [])];
      return all.length > 1 ? all : []; // one that fails alone is reported by its error
    },
    begin: async (tell) => {
      if (line?.held) await move("rate_limit", tell);
    },
    takeOver: async (failure, tell) => {
      line?.failed(choice, failure);
      tried.push(`${choice.model} via ${choice.provider.id} (${failure.class})`);
      return move(failure.class, tell);
    },
    hold: ({ class: kind, retryAfterMs }) =>
      line?.failed(choice, { class: kind, ...(retryAfterMs === undefined ? {} : { resetMs: retryAfterMs }) }),
    adopt: ({ toldWindow, class: kind }) => {
      if (toldWindow === undefined || toldWindow >= choice.window) return;
      choice = line?.adopt(choice, toldWindow, kind !== "long_context_tier") ?? { ...choice, window: toldWindow };
    },
  };
}

/** The model that serves at this moment: the chosen one, or its replacement. */
export const choiceOf = (deps: Pick<TurnDeps, "choice" | "failover">): ModelChoice =>
  deps.failover?.choice ?? deps.choice;

/** How often a round was made smaller. Starts over with each round. */
export interface ShrinkCount {
  made: number;
}

/**
 * Whether a failed request is worth another one: the conversation was made smaller, or another provider serves from now on. What was shown of
 * the failed answer is void then.
 */
export async function recover(
  deps: TurnDeps,
  tell: TellModelChange,
  failure: ModelFailure,
  more: { room: ShrinkCount; signal: AbortSignal },
): Promise<boolean> {
  const { room, signal } = more;
  if (signal.aborted || failure.class === "aborted") return false;
  if (failure.compact === true) {
    deps.failover?.adopt(failure);
    if (room.made < MAX_ROOM && deps.makeRoom !== undefined) {
      room.made += 1;
      if (await deps.makeRoom(failure, signal)) return true;
    }
  }
  return failure.fallback === true && deps.failover !== undefined && (await deps.failover.takeOver(failure, tell));
}
