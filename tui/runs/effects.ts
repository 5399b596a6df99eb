import { RUNS_TOPIC, type RunList } from "../../lib/contracts/board/runs.js";
import { segmentAfter } from "../../lib/contracts/chat/compaction-lines.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import type { ChatMessage } from "../chat/messages.js";
import { showSession } from "../chat/open-session.js";
import type { EffectContext, EffectRunner } from "../effects/effect.js";
import { followStore, whenBegun } from "../effects/follow-store.js";
import { text } from "../model/data.js";
import { toRunRow } from "./row.js";

/** What works by itself: listed once, then told row by row; and the conversation of the one that is looked at. */
export function createRunsEffects(context: EffectContext): EffectRunner {
  const { client, run, send } = context;
  let looked = new AbortController();
  const read = () => run("failed to list runs", () => list(context));
  return {
    start: () => {
      run("failed to follow runs", async () => {
        await client.topics([RUNS_TOPIC], ({ event, data }) => {
          const row = event === "run.changed" ? toRunRow(data) : undefined;
          if (row !== undefined) send({ type: "run.changed", row });
          if (event === "run.gone") send({ type: "run.gone", id: text(data, "id") });
        });
      });
      read();
    },
    perform: (effect) => {
      if (effect.do === "reload") read();
      if (effect.do === "run.leave" || effect.do === "run.follow") looked.abort();
      if (effect.do !== "run.follow") return;
      looked = new AbortController();
      const { signal } = looked; // what `follow` starts outlives it; `stop` ends it with the screen
      run("failed to follow the conversation of the run", () =>
        follow({ ...context, signal }, effect.id, effect.session).catch((error: unknown) => {
          if (!signal.aborted) throw error; // another run is shown, or none
        }),
      );
    },
    stop: () => looked.abort(),
  };
}

async function list({ client, signal, send }: EffectContext): Promise<void> {
  try {
    const { runs } = await client.call<RunList>("runs.list", {}, { signal, repeat: true });
    send({ type: "runs.read", rows: runs.flatMap((row) => toRunRow(row) ?? []) });
  } catch (error) {
    if (!signal.aborted) send({ type: "runs.failed", message: error instanceof Error ? error.message : String(error) });
  }
}

interface Session {
  readonly id: string;
  readonly title: string | null;
  readonly model: string;
  readonly provider: string;
}

/** Show a conversation and what happens in it, until another one is looked at. Nothing of it is touched. */
async function follow(context: EffectContext, id: string, session: string): Promise<void> {
  const { client, signal, options, run } = context;
  const send = (message: ChatMessage) => {
    if (!signal.aborted) context.send({ type: "run.chat", id, message });
  };
  const failed = (error: unknown) => {
    if (!signal.aborted)
      context.send({ type: "run.failed", id, message: error instanceof Error ? error.message : String(error) });
  };
  const told = (named: string) =>
    client.topics([`session:${named}`], ({ event, data }) => send({ type: "chat", event, data }));
  let shown = await client.call<Session | null>("session.get", { session_id: session }, { signal, repeat: true });
  if (shown === null) return failed(new Error(`session ${session} no longer exists`));
  let forget = await told(shown.id);
  if (signal.aborted) return forget();
  signal.addEventListener("abort", () => forget(), { once: true });
  const show = async () => {
    if (shown !== null) send(await showSession(client, shown, signal));
  };
  const on = async (event: WireEvent) => {
    if (shown === null || event.session_id !== shown.id) return;
    if (event.event === "message.hidden" || event.event === "message.restored") return show();
    send({ type: "chat", event: event.event, data: event.data });
    const next = segmentAfter(event.event, event.data);
    if (next === undefined) return;
    forget(); // the conversation goes on in another segment
    shown = { ...shown, id: next };
    forget = await told(next);
  };
  // Followed before it is shown, so that nothing falls in between.
  await whenBegun(signal, (onBegin) => {
    const followed = {
      client,
      after: options.after,
      store: "sessions",
      onBegin,
      onReset: () => run("failed to read the run", show),
    };
    run("failed to follow the conversation of the run", () =>
      followStore(followed, signal, on).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
    );
  });
  await show().catch(failed);
}
