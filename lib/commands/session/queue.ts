import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { QueueItem, QueueState } from "../../contracts/chat/queue.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { sessionOf } from "../conversation/conversation.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "queue",
  aliases: ["q"],
  summary: "Show or change the message queue: add, edit, move, remove, send, steer.",
  topic: "queue",
  params: z.object({
    text: z.string().default("").describe("a message; or list, edit N TEXT, move N M, rm N, send [N], steer N"),
  }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    const session = sessionOf(ctx);
    const words = text.trim();
    for (const { form, act } of ACTIONS) {
      const found = form.exec(words);
      if (found) return shown(await act({ session, ctx, n: Number(found[1] ?? 0), rest: found[2] ?? "" }));
    }
    const item = await ctx.chat.queueAdd(session, { text: words, kind: "message", source: "workspace" });
    const state = await ctx.chat.queue(session);
    const place = state.items.findIndex(({ id }) => id === item.id);
    const told =
      place < 0 ? "The queue was empty; sending now." : `Queued at position ${place + 1} of ${state.items.length}.`;
    return { text: told, data: { item, ...state } };
  },
});

interface Asked {
  readonly session: SessionId;
  readonly ctx: CommandContext;
  readonly n: number;
  readonly rest: string;
}

const ACTIONS: readonly { readonly form: RegExp; act(asked: Asked): Promise<QueueState> }[] = [
  { form: /^(?:list)?$/, act: ({ ctx, session }) => ctx.chat.queue(session) },
  {
    form: /^edit\s+(\d+)\s+([\s\S]+)$/,
    act: async (asked) => asked.ctx.chat.queueEdit(asked.session, (await numbered(asked, asked.n)).id, asked.rest),
  },
  {
    form: /^move\s+(\d+)\s+(\d+)$/,
    act: async (asked) => {
      const item = await numbered(asked, asked.n);
      const at = Number(asked.rest);
      const { items } = await asked.ctx.chat.queue(asked.session);
      const others = items.filter(({ id }) => id !== item.id);
      return asked.ctx.chat.queueMove(asked.session, item.id, others[at - 1]?.id);
    },
  },
  {
    form: /^(?:rm|remove)\s+(\d+)$/,
    act: async (asked) => asked.ctx.chat.queueRemove(asked.session, (await numbered(asked, asked.n)).id),
  },
  {
    form: /^send(?:\s+(\d+))?$/,
    act: async (asked) => asked.ctx.chat.queueSendNow(asked.session, (await numbered(asked, asked.n || 1)).id),
  },
  {
    form: /^steer\s+(\d+)$/,
    act: async (asked) => asked.ctx.chat.queueSteer(asked.session, (await numbered(asked, asked.n)).id),
  },
];

async function numbered({ ctx, session }: Asked, n: number): Promise<QueueItem> {
  const { items } = await ctx.chat.queue(session);
  const item = items[n - 1];
  if (item) return item;
  throw new AppError(
    "E_NOT_FOUND",
    items.length === 0 ? "the queue is empty" : `no item ${n}; the queue has ${items.length}`,
    {
      hint: "/queue lists the queue",
    },
  );
}

const MARKS = { message: "", process_notice: "news: ", continuation: "goal: " } as const;

function shown(state: QueueState): CommandResult {
  const lines = state.items.map(({ kind, text }, at) => `${at + 1}. ${MARKS[kind]}${toScreenLine(text, 200)}`);
  const waits =
    state.paused && lines.length > 0 ? ["The queue is paused; /queue send or your next message resumes it."] : [];
  return { text: lines.length === 0 ? "The queue is empty." : [...lines, ...waits].join("\n"), data: state };
}
