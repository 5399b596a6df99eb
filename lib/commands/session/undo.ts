import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { UndoWhat } from "../../contracts/chat/sessions.js";
import type { UndoableFiles } from "../../contracts/chat/turn-files.js";
import { sessionOf } from "../conversation/conversation.js";
import { type CommandResult, defineCommand } from "../define.js";
import { count, filesText, partialLines } from "../render/change-summary.js";

export default defineCommand({
  path: "undo",
  summary: "Undo the last exchanges. The message returns to the composer.",
  topic: "sessions",
  params: z.object({
    exchanges: z.number().int().min(1).max(1_000).default(1).describe("number of exchanges"),
    chat: z.boolean().default(false).describe("messages only"),
    files: z.boolean().default(false).describe("files only"),
    both: z.boolean().default(false).describe("messages and files"),
  }),
  positionals: ["exchanges"],
  surfaces: ["slash"],
  access: "write",
  whole: true,
  busy: "idle",
  run: async ({ exchanges, ...flags }, ctx) => {
    const what = chosen(flags);
    const session = sessionOf(ctx);
    const { files, partial } = what === undefined ? await ctx.chat.undoable(session, exchanges) : NO_FILES;
    if (what === undefined && files.length > 0 && ctx.waits !== true) return ask(exchanges, { files, partial });
    const undone = await ctx.chat.undo(session, exchanges, what ?? "chat");
    const left =
      files.length > 0
        ? [`${count(files.length, "file")} left unchanged; /redo, then /undo --both restores them too`]
        : [];
    const lines = [
      ...(what === "files"
        ? []
        : [
            `Undone: ${count(undone.exchanges, "exchange")}, ${count(undone.messages, "message")} removed. /redo restores them.`,
          ]),
      ...(what === undefined ? partialLines(partial) : filesText(undone.files)),
    ];
    return {
      text: lines.join("\n"),
      data: undone,
      warnings: left,
      ...(undone.text === "" ? {} : { next: { compose: undone.text } }),
    };
  },
});

const NO_FILES: UndoableFiles = { files: [], partial: [] };

interface Flags {
  readonly chat: boolean;
  readonly files: boolean;
  readonly both: boolean;
}

function chosen({ chat, files, both }: Flags): UndoWhat | undefined {
  const given = [chat && "chat", files && "files", both && "both"].filter((one): one is UndoWhat => one !== false);
  if (given.length > 1)
    throw new AppError("E_USAGE", `${given.map((one) => `--${one}`).join(" and ")} exclude each other`);
  return given[0];
}

/** Nothing is changed until it is clear what is meant. */
function ask(exchanges: number, { files, partial }: UndoableFiles): CommandResult {
  const shown = files.slice(0, 10).map((path) => `  ${path}`);
  const more = files.length > 10 ? [`  and ${files.length - 10} more`] : [];
  const way = `/undo ${exchanges} --chat (the messages), --files (these files) or --both`;
  const text = [
    `This changed ${count(files.length, "file")} that can be restored:`,
    ...shown,
    ...more,
    ...partialLines(partial),
    `Choose what to undo: ${way}`,
  ].join("\n");
  return {
    text,
    data: { ask: ["chat", "files", "both"], exchanges, files },
    next: { compose: `/undo ${exchanges} --` },
  };
}
