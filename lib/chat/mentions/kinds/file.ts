import type { ToolContext } from "../../../tools/core/define.js";
import { load } from "../../../tools/file/load.js";
import { splitLines } from "../../../tools/run/codec.js";
import { noteRead } from "../../../tools/run/ledger.js";
import { defineMention, type MentionResult } from "../define.js";
import { renderFencedBlock } from "../fenced.js";
import { type MentionedPath, ofPath, pathsOffered } from "../paths.js";

export default defineMention({
  name: "file",
  form: "path",
  detail: "a file, or lines of it: @file:PATH:10-20",
  make: (mention, { ctx }) => ofPath(mention, { ctx, tool: "read_file" }, (found) => fileBlock(found, ctx)),
  offers: (sources) => pathsOffered(sources, false),
});

async function fileBlock({ form, path }: MentionedPath, ctx: ToolContext): Promise<MentionResult> {
  const loaded = await load(path, ctx);
  if ("error" in loaded) return { why: loaded.error };
  if ("picture" in loaded) return { why: `it is a picture; @image:${path} attaches it` };
  const lines = splitLines(loaded.decoded.text);
  const { from = 1, to = lines.length } = form;
  if (from > Math.max(1, lines.length) || to < from) return { why: `it has ${lines.length} lines` };
  const last = Math.min(to, lines.length);
  const whole = from === 1 && last === lines.length;
  const part = whole ? `${lines.length} lines` : `lines ${from}-${last} of ${lines.length}`;
  const taken = () => noteRead(ctx, path, loaded.facts, whole);
  return { taken, text: renderFencedBlock(`File ${form.name}: ${part}`, lines.slice(from - 1, last).join("\n")) };
}
