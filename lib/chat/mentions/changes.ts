import { plainText } from "../../safety/redact/text.js";
import type { ToolContext } from "../../tools/core/define.js";
import type { MentionResult } from "./define.js";
import { counted, inLabel, renderFencedBlock } from "./fenced.js";
import { explainTooManyNames, leftOut, PLAIN_DIFF_OPTIONS, parseNames, repositoryFor } from "./repository.js";

export interface DiffRequest {
  readonly name: string;
  /** Of `git diff`. */
  readonly args: readonly string[];
  /** What is said when there is nothing. */
  readonly none: string;
}

const FEWER = "mention single files with @file:";

/** Changes of the repository that the conversation began in, but for those of files that may not be read. */
export async function changesIn(ctx: ToolContext, { name, args, none }: DiffRequest): Promise<MentionResult> {
  const repository = await repositoryFor(ctx, `@${name}`);
  if ("why" in repository) return repository;
  const { root, read, among } = repository;
  const names = parseNames(
    await read(["diff", ...PLAIN_DIFF_OPTIONS, ...args, "--no-renames", "--name-only", "-z", "--"]),
  );
  if (names.length === 0) return { why: none };
  const { paths, refused } = among(names);
  const many = explainTooManyNames(paths, FEWER);
  if (many !== undefined) return { why: many };
  const without = leftOut(refused);
  if (paths.length === 0) return { why: `none of it may be read: ${without.without}` };
  // Only paths that were looked at are named: what changes meanwhile is not read unseen.
  const text = plainText(await read(["diff", ...PLAIN_DIFF_OPTIONS, ...args, "--", ...paths], FEWER));
  return {
    ...without,
    text: renderFencedBlock(`@${name} in ${inLabel(root)}: ${counted(paths.length, "file")}`, text),
  };
}
