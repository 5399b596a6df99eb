import { randomIds } from "../../lib/base/ids.js";
import { type LogFilter, type LogPage, logTopic } from "../../lib/contracts/ui/log-lines.js";
import type { WireDelta } from "../../lib/contracts/wire/wire.js";
import type { EffectContext, EffectRunner } from "../effects/effect.js";
import { type Data, number, text } from "../model/data.js";
import type { LogName } from "./state.js";
import { NO_LOGS } from "./state.js";

const PAGE_LINES = 1_000;

/** A log that is looked at now. */
interface Looked {
  readonly filter: LogFilter;
  ended: boolean;
  /** Lines so far, as the owner counts them. */
  upto: number;
  forget: () => void;
}

/** The logs that are looked at: from before, and from now on. */
export function createLogsEffects(context: EffectContext): EffectRunner {
  const looked = new Map<LogName, Looked>();
  const leave = (name: LogName) => {
    const mine = looked.get(name);
    looked.delete(name);
    if (mine === undefined) return;
    mine.ended = true;
    mine.forget();
  };
  const look = (name: LogName, filter: LogFilter) => {
    leave(name);
    const mine: Looked = { filter, ended: false, upto: 0, forget: () => undefined };
    looked.set(name, mine);
    context.run("failed to follow the log", () => follow(context, name, mine));
  };
  return {
    start: () => look("logs", NO_LOGS.view.filter),
    perform: (effect) => {
      if (effect.do === "log.follow") look(effect.name, effect.filter);
      if (effect.do === "log.leave") leave(effect.name);
      if (effect.do === "log.more") more(context, effect, looked.get(effect.name));
    },
    stop: () => {
      for (const name of [...looked.keys()]) leave(name);
    },
  };
}

async function follow({ client, send }: EffectContext, name: LogName, mine: Looked): Promise<void> {
  const topic = logTopic(randomIds.hex(6), mine.filter);
  const forget = await client.topics([topic], (delta) => {
    if (!mine.ended) told(delta);
  });
  const end = () => {
    forget();
    // A lost follower needs no notice; the owner sees that by itself.
    if (client.connected) client.call("topics.unfollow", { topics: [topic] }).catch(() => undefined);
  };
  if (mine.ended) end();
  else mine.forget = end;

  function told({ event, data }: WireDelta) {
    if (event === "log.begin") {
      mine.upto = 0;
      send({ type: "log.begin", name, lines: linesIn(data), before: placeIn(data), exists: data["exists"] === true });
    }
    if (event === "log.failed") send({ type: "log.failed", name, message: text(data, "message") });
    if (event !== "log.lines") return;
    const lines = pieces(data);
    const upto = number(data, "upto");
    send({ type: "log.lines", name, lines, missing: Math.max(0, upto - mine.upto - lines.length) });
    mine.upto = upto;
  }
}

const linesIn = (data: Data): readonly string[] => (Array.isArray(data["lines"]) ? data["lines"].map(String) : []);
const placeIn = (data: Data): string | null => (typeof data["before"] === "string" ? data["before"] : null);

/** Lines of a delta. Of a text whose beginning was dropped the first line is incomplete. */
function pieces(data: Data): readonly string[] {
  const lines = text(data, "text").split("\n").slice(0, -1);
  return data["cut"] === true ? lines.slice(1) : lines;
}

interface Wanted {
  readonly name: LogName;
  readonly filter: LogFilter;
  readonly before: string;
}

function more(
  { client, signal, send, run }: EffectContext,
  { name, filter, before }: Wanted,
  mine: Looked | undefined,
): void {
  run("failed to read older lines", async () => {
    try {
      const asked = { filter, before, lines: PAGE_LINES };
      const page = await client.call<LogPage>("log.page", asked, { signal, repeat: true });
      if (mine !== undefined && !mine.ended) send({ type: "log.older", name, lines: page.lines, before: page.before });
    } catch (error) {
      if (mine !== undefined && !mine.ended)
        send({ type: "log.failed", name, message: error instanceof Error ? error.message : String(error) });
    }
  });
}
