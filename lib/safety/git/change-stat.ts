import { type GitPorts, openGit } from "./git.js";
import { findWorkTree } from "./work-tree.js";

const MAX_BYTES = 16_000;
const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "-O/dev/null"];

/** `git diff --stat` against the last commit in `cwd`; "" without a repository or git. Programs that the repository names do not run. */
export async function readChangeStat(ports: GitPorts, cwd: string): Promise<string> {
  const git = await openGit(ports, cwd, { filters: "none" });
  if ("why" in (await findWorkTree(git))) return "";
  const answer = await git.run([...DIFF, "--stat", "HEAD", "--"], { maxBytes: MAX_BYTES });
  return answer.ok ? answer.said : "";
}
