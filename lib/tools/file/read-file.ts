import { basename } from "node:path";
import * as z from "zod";
import { type FileFacts, readAtMost } from "../../base/fs/files.js";
import { PICTURE_SOURCE_BYTES } from "../../base/fs/picture-facts.js";
import { pictureForModels } from "../../base/fs/picture-scale.js";
import { guardRead } from "../../safety/paths/paths.js";
import { headText } from "../../safety/redact/text.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { READ_MAX_CHARS } from "../core/keys.js";
import { splitLines } from "../run/codec.js";
import { jsonResult } from "../run/execute.js";
import { callNumber, noteRead, seenOf, toFileStamp } from "../run/ledger.js";
import { pathOf, scopeOf, toFailureResult } from "../run/scope.js";
import { type Loaded, type LoadedPicture, load } from "./load.js";
import { similarFiles } from "./similar.js";

const LINE_CHARS = 2_000;
/** Room in an answer for everything beside the text. */
const FRAME_CHARS = 2_000;

const params = z.object({
  path: z.string().min(1).describe("File to read, absolute or relative to the working directory."),
  offset: z.number().int().min(1).default(1).describe("First line, from 1."),
  limit: z.number().int().min(1).max(2_000).default(500).describe("Number of lines."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "read_file",
  toolset: "file",
  description:
    "Read a text file with line numbers. Content lines have the form `<n>|<text>`; the number and bar are not part of the file. " +
    "Read large files in parts with offset and limit. Notebooks and office documents are shown as text, pictures as they are. Directories: search_files with target files.",
  params,
  risk: "read",
  effects: (given, place) => ({ reads: [toPathEffect("path", given.path, place)], writes: [] }),
  limits: { ms: 60_000, chars: 130_000 },
  preview: (given) => given.path,
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const allowed = guardRead(pathOf(given.path, ctx), scopeOf(ctx));
  if (!allowed.ok) return toFailureResult(allowed.why);
  const { path } = allowed;
  const loaded = await load(path, ctx);
  if ("error" in loaded)
    return toFailureResult(loaded.error, loaded.missing ? { similar_files: await similarFiles(path) } : {});
  if ("picture" in loaded) return showPicture(path, loaded);
  const repeated = repeatOf(ctx, path, given, loaded.facts);
  if (repeated !== undefined) return repeated;
  const answer = show(given, loaded, ctx.config.get(READ_MAX_CHARS));
  if (answer.status === undefined) noteRead(ctx, path, loaded.facts, answer.whole);
  return { text: answer.text, ...(answer.status === undefined ? {} : { status: answer.status }) };
}

/** Reading the same part of an unchanged file again tells nothing new (core part, 18.1). */
function repeatOf(ctx: ToolContext, path: string, given: Params, facts: FileFacts): ToolResult | undefined {
  const { repeats } = seenOf(ctx);
  const call = callNumber(ctx.state).count;
  const key = `${path}\0${given.offset}\0${given.limit}`;
  const before = repeats.get(key);
  if (before?.stamp !== toFileStamp(facts)) {
    repeats.set(key, { key, stamp: toFileStamp(facts), count: 1, call });
    return undefined;
  }
  before.count = call - before.call > 1 ? 2 : before.count + 1;
  before.call = call;
  if (before.count > 2)
    return toFailureResult(`BLOCKED: ${path} was read ${before.count} times without a change; use what you have`, {
      path,
      already_read: before.count,
    });
  const message = "The file has not changed since you read this part; its content is in the conversation above.";
  return { text: jsonResult({ status: "unchanged", message, path, dedup: true, content_returned: false }) };
}

/** The picture goes with the result to models that see; the text is for the others. A second look is possible: older pictures leave the context. */
async function showPicture(path: string, { facts, picture, size }: LoadedPicture): Promise<ToolResult> {
  const bytes = await readAtMost(path, PICTURE_SOURCE_BYTES);
  const shown =
    bytes === undefined
      ? { why: `it exceeds ${PICTURE_SOURCE_BYTES >> 20} MiB; make a smaller copy` }
      : await pictureForModels(bytes);
  const text = jsonResult({
    path,
    type: picture,
    file_size: facts.size,
    ...(size === undefined ? {} : { width: size.width, height: size.height }),
    is_binary: true,
    hint: "why" in shown ? `not shown: ${shown.why}` : "shown with this result to models that see pictures",
  });
  if ("why" in shown) return { text };
  return { text, images: [{ data: shown.bytes.toString("base64"), name: basename(path) }] };
}

interface Answer extends ToolResult {
  readonly whole: boolean;
}

function show(given: Params, loaded: Loaded, maxChars: number): Answer {
  const lines = splitLines(loaded.decoded.text);
  const first = given.offset - 1;
  const chosen = lines.slice(first, first + given.limit);
  const content = chosen.map((line, index) => `${given.offset + index}|${cutLine(line)}`).join("\n");
  if (content.length > maxChars) return { ...tooLong(given, lines.length, content.length, maxChars), whole: false };
  const last = first + chosen.length;
  const { encoding, warning } = loaded.decoded;
  const text = jsonResult(
    {
      content,
      total_lines: lines.length,
      file_size: loaded.facts.size,
      encoding: `${encoding.name}${encoding.bom && encoding.name === "utf-8" ? "-bom" : ""}`,
      truncated: last < lines.length,
      is_binary: false,
      ...(last < lines.length
        ? { hint: `Use offset=${last + 1} to continue (showing ${given.offset}-${last} of ${lines.length} lines)` }
        : {}),
      ...(first >= lines.length && lines.length > 0
        ? { hint: `the file has ${lines.length} lines; offset ${given.offset} is behind its end` }
        : {}),
      ...(warning === undefined ? {} : { _warning: warning }),
    },
    maxChars * 2 + FRAME_CHARS,
  );
  return { text, whole: first === 0 && last >= lines.length };
}

const cutLine = (line: string) => (line.length > LINE_CHARS ? `${headText(line, LINE_CHARS)}... [truncated]` : line);

function tooLong(given: Params, total: number, chars: number, maxChars: number): ToolResult {
  const fitting = Math.max(1, Math.floor((given.limit * maxChars) / chars));
  return toFailureResult(
    `This part has ${chars} characters, more than ${maxChars}. The file has ${total} lines; use limit=${fitting} or less.`,
    {
      total_lines: total,
    },
  );
}
