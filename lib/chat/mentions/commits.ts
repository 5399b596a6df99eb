import { plainText } from "../../safety/redact/text.js";
import type { ToolContext } from "../../tools/core/define.js";
import type { MentionResult } from "./define.js";
import { counted, inLabel, renderFencedBlock } from "./fenced.js";
import { explainTooManyNames, leftOut, PLAIN_DIFF_OPTIONS, parseNames, repositoryFor } from "./repository.js";

/** Commits of one mention. */
export const MOST_COMMITS = 20;

const FEWER = "mention fewer commits";
/** No signature is checked: that would start a program which the repository names. Commits that do not change the paths are listed too. */
const LOG = [
  "log",
  "--no-show-signature",
  "--no-notes",
  "--no-mailmap",
  "--no-decorate",
  "--no-diff-merges",
  "--no-walk=unsorted",
  "--sparse", // a commit that changes none of the paths is shown, too
] as const;

/** The last commits with their messages and changes, the newest first. Merges have their message alone. */
export async function commitsIn(ctx: ToolContext, count: number): Promise<MentionResult> {
  const repository = await repositoryFor(ctx, `@git:${count}`);
  if ("why" in repository) return repository;
  const { root, read, among } = repository;
  // Everything that is reachable, where HEAD names nothing yet, is nothing.
  const ids = (await read(["rev-list", `--max-count=${count}`, "--ignore-missing", "HEAD", "--"]))
    .split("\n")
    .filter((id) => id !== "");
  if (ids.length === 0) return { why: "no commits yet" };
  const names = parseNames(
    await read([...LOG, ...PLAIN_DIFF_OPTIONS, "--format=", "--no-renames", "--name-only", "-z", ...ids, "--"], FEWER),
  );
  const { paths, refused } = among(names);
  const many = explainTooManyNames(paths, FEWER);
  if (many !== undefined) return { why: many };
  const format = "--format=commit %H%nAuthor: %an <%ae>%nDate: %aI%n%n%w(0,4,4)%B%w(0,0,0)";
  const which = paths.length === 0 ? ["--no-patch", ...ids, "--"] : ["--patch", ...ids, "--", ...paths];
  const text = plainText(await read([...LOG, ...PLAIN_DIFF_OPTIONS, "--date=iso-strict", format, ...which], FEWER));
  return {
    ...leftOut(refused),
    text: renderFencedBlock(`@git in ${inLabel(root)}: ${counted(ids.length, "commit")}`, text),
  };
}
