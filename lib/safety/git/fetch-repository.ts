import { AppError } from "../../base/errors.js";
import type { Ms } from "../../base/units.js";
import { type GitPorts, gitAt } from "./git.js";

const FETCH_MS: Ms = 120_000;
const PROTOCOLS = "https:http:ssh:file:git";

/** What is fetched: the files of one branch or tag. */
export interface WantedRepository {
  readonly url: string;
  /** Branch, tag or commit; empty: the default branch. */
  readonly ref: string;
  /** An empty directory. */
  readonly dir: string;
  readonly signal?: AbortSignal;
}

/**
 * Put the files of a repository into a directory, without its history. Hooks, filters and submodules of it are not run, and nothing is asked.
 *
 * @returns the commit
 * @throws E_NOT_FOUND with what git says
 */
export async function fetchRepository(ports: GitPorts, { url, ref, dir, signal }: WantedRepository): Promise<string> {
  const git = gitAt(ports, dir);
  const agent = ports.env["SSH_AUTH_SOCK"];
  const options = {
    limitMs: FETCH_MS,
    env: {
      GIT_ALLOW_PROTOCOL: PROTOCOLS,
      GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
      ...(agent !== undefined && { SSH_AUTH_SOCK: agent }),
    },
    ...(signal !== undefined && { signal }),
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const answer = await git.run(args, options);
    if (answer.ok) return answer.out.trim();
    throw new AppError(
      "E_NOT_FOUND",
      `cannot fetch ${url}${ref === "" ? "" : ` (${ref})`}: ${answer.said.split("\n")[0]}`,
      {
        hint: "check the address and the name of the branch or tag",
      },
    );
  };
  await run("init", "--quiet", "--template=");
  await run(
    "fetch",
    "--quiet",
    "--depth=1",
    "--no-tags",
    "--no-recurse-submodules",
    "--",
    url,
    ref === "" ? "HEAD" : ref,
  );
  await run("-c", "core.symlinks=true", "checkout", "--quiet", "--detach", "FETCH_HEAD");
  return await run("rev-parse", "HEAD");
}
