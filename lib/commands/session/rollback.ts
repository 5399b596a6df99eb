import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { CheckpointRecord, RestoreReport } from "../../contracts/owner/checkpoints.js";
import { keepsHere, projectHere, whenOff } from "../checkpoints/here.js";
import { diffText, exitOf, OFF_HINT, reportText, rowLine } from "../checkpoints/text.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";

export default defineCommand({
  path: "rollback",
  summary: "List checkpoints of the project directory, show one's changes (diff N), or restore it (N, or N FILE).",
  topic: "checkpoints",
  params: z.object({
    words: z
      .array(z.string())
      .default([])
      .describe("empty for the list; N; diff N; N FILE. N is a list number or an id"),
    force: z.boolean().default(false).describe("also restore files changed outside the agent"),
    chat: z.boolean().default(false).describe("also remove the exchanges made after it"),
  }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  whole: true,
  busy: "idle",
  run: async ({ words, force, chat }, ctx) => {
    const directory = await projectHere(ctx);
    const [first, ...rest] = words;
    if (first === undefined) return list(directory, ctx);
    const diffs = first === "diff";
    const [which, file, ...more] = diffs ? rest : words;
    if (which === undefined || more.length > 0)
      throw new AppError(
        "E_USAGE",
        diffs ? "missing checkpoint: /rollback diff N [file]" : "too many arguments: /rollback N [file]",
      );
    const wanted = { which, directory, ...(file === undefined ? {} : { file }) };
    if (diffs) return difference(wanted, ctx);
    return whenOff(ctx, () => restore({ ...wanted, force }, chat, ctx));
  },
});

async function list(directory: string, ctx: CommandContext): Promise<CommandResult> {
  const rows = await ctx.checkpoints.list({ directory, limit: 1_000 });
  const enabled = await keepsHere(ctx);
  const off = enabled ? [] : [OFF_HINT];
  if (rows.length === 0)
    return {
      text: [`No checkpoints of ${directory}.`, ...(enabled ? [] : [`${OFF_HINT}.`])].join("\n"),
      data: [],
    };
  const partial = rows.some((row) => row.n !== null && row.n <= 1 && row.partial !== undefined);
  const notes = partial ? [`${directory} is too large; only files changed by file tools can be restored.`] : [];
  return {
    text: [`Checkpoints of ${directory}:`, ...rows.map(rowLine), ...notes].join("\n"),
    data: rows,
    warnings: off,
  };
}

interface Wanted {
  readonly which: string;
  readonly directory: string;
  readonly file?: string;
}

async function difference(wanted: Wanted, ctx: CommandContext): Promise<CommandResult> {
  const diff = await whenOff(ctx, () => ctx.checkpoints.diff(wanted));
  return { text: diffText(diff), data: diff };
}

async function restore(
  wanted: Wanted & { readonly force: boolean },
  chat: boolean,
  ctx: CommandContext,
): Promise<CommandResult> {
  const { session } = ctx;
  const report = await ctx.checkpoints.restore({ ...wanted, ...(session === undefined ? {} : { session }) });
  const later =
    session === undefined || wanted.file !== undefined ? [] : await exchangesAfter(session, report.checkpoint, ctx);
  const text = reportText(report);
  const told = { data: { ...report, exchanges_after: later.length }, exit: exitOf(report) };
  if (session === undefined || later.length === 0) return { ...told, text };
  if (!chat)
    return {
      ...told,
      text: `${text}\n${askAbout(later)}`,
      ...(report.failed.length > 0 ? {} : { next: { compose: `/undo ${later.length} --chat` } }),
    };
  return { ...told, ...(await hidden(session, { report, text, exchanges: later.length }, ctx)) };
}

interface Rolled {
  readonly report: RestoreReport;
  readonly text: string;
  readonly exchanges: number;
}

async function hidden(
  session: SessionId,
  { report, text, exchanges }: Rolled,
  ctx: CommandContext,
): Promise<CommandResult> {
  const undone = await ctx.chat.undo(session, exchanges, "chat");
  return {
    text: `${text}\n${count(undone.messages, "message")} of ${count(exchanges, "exchange")} removed; /redo restores them.`,
    data: { ...report, hidden: undone.messages },
    ...(undone.text === "" ? {} : { next: { compose: undone.text } }),
  };
}

const SHOWN = 10;

/** The messages by which one knows the turns. */
function askAbout(later: readonly string[]): string {
  const lines = later.slice(0, SHOWN).map((text) => `  ${text}`);
  const more = later.length > SHOWN ? [`  and ${later.length - SHOWN} more`] : [];
  const head = `${count(later.length, "exchange")} of this conversation came after it:`;
  return [
    head,
    ...lines,
    ...more,
    `/undo ${later.length} --chat removes ${later.length === 1 ? "it" : "them"} as well.`,
  ].join("\n");
}

const PAGE = 1_000;
const LINE = 60;

/** First words of the messages that were sent after the state was kept, oldest first. */
async function exchangesAfter(
  session: SessionId,
  checkpoint: CheckpointRecord,
  ctx: CommandContext,
): Promise<readonly string[]> {
  const messages = await ctx.chat.messages(session, { limit: PAGE });
  const own = checkpoint.kind === "before" ? checkpoint.turn : null;
  const sent = messages.filter((message) => message.role === "user" && message.active);
  const later = sent.filter((message) => message.turn_id === own || message.created_at > checkpoint.made_at);
  return later.map(({ content }) => [...content.replaceAll(/\s+/g, " ").trim()].slice(0, LINE).join(""));
}
