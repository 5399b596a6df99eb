import * as z from "zod";
import type { Log } from "../../../lib/base/log/log.js";
import type { OfferedCommand } from "../../../lib/gateway/adapter/define-platform.js";
import type { Answer, Api } from "./api.js";
import type { MsgdSettings } from "./settings.js";
import { CommandShape } from "./wire.js";

const MOST = 100;
const DESCRIPTION_CHARS = 100;

/** What a person types behind the name, as one text. */
const WORDS = { type: 3, name: "words", description: "What comes behind the command", required: false } as const;

export interface SyncParts {
  readonly api: Api;
  readonly settings: Pick<MsgdSettings, "account" | "commandSync">;
  readonly commands: readonly OfferedCommand[];
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Tell the platform which commands there are. Nothing depends on whether this works (gateway part, 3.11). */
export async function syncCommands(parts: SyncParts): Promise<void> {
  const { api, settings, signal, log } = parts;
  const wanted = offered(parts.commands);
  if (settings.commandSync === "off" || wanted.length === 0) return;
  const route = `/applications/${settings.account}/commands` as const;
  const answer =
    settings.commandSync === "bulk"
      ? await api.call("PUT", route, { body: wanted, signal })
      : await differences(parts, route, wanted);
  if (answer.ok || signal.aborted) return;
  log.warning("the platform does not take the list of commands", { tag: "msgd", error: answer.seen.error });
}

type Offered = ReturnType<typeof offered>[number];

function offered(commands: readonly OfferedCommand[]) {
  return commands
    .map(({ name, description }) => ({
      name,
      description: description.slice(0, DESCRIPTION_CHARS),
      type: 1,
      options: [WORDS],
    }))
    .filter(({ name, description }) => /^[-_a-z0-9]{1,32}$/.test(name) && description !== "")
    .slice(0, MOST);
}

/** Only what differs is written: a list that is set again is not usable for a while. Those of others are taken away: the list is the bot's. */
async function differences(
  { api, signal }: SyncParts,
  route: `/${string}`,
  wanted: readonly Offered[],
): Promise<Answer> {
  const answer = await api.call("GET", route, { signal });
  const there = answer.ok ? z.array(CommandShape).safeParse(answer.result).data : undefined;
  if (there === undefined) return answer;
  let last: Answer = answer;
  for (const { id } of there.filter(({ name }) => !wanted.some((one) => one.name === name))) {
    last = await api.call("DELETE", `${route}/${id}`, { signal });
    if (!last.ok) return last;
  }
  for (const one of wanted) {
    const same = there.find(({ name }) => name === one.name);
    if (same !== undefined && same.description === one.description && same.options.length === one.options.length)
      continue;
    last =
      same === undefined
        ? await api.call("POST", route, { body: one, signal })
        : await api.call("PATCH", `${route}/${same.id}`, { body: one, signal });
    if (!last.ok) return last;
  }
  return last;
}
