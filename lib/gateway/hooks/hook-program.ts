import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { openedFile } from "../../base/fs/file-digest.js";
import { privateCopy } from "../../base/fs/private-copy.js";
import type { FoundHook } from "../../contracts/gateway/hooks.js";

/** A program that names files beside it finds them only from where it is. */
const NEIGHBOURS = /["'`]\.{1,2}\/|\$\{?0\b|\b(?:dirname|__dirname|__filename|import\.meta|BASH_SOURCE)\b/;

/**
 * What runs for a hook: a private copy of the bytes that were compared, which tools cannot write, so that a file which is replaced after this look is
 * not run. A program that needs its neighbours, and a `.js` file whose package says how it is read, run where they are.
 *
 * @throws E_FORBIDDEN the handler has changed since it was allowed to run
 */
export async function hookProgram(
  { id, dir, handler, script, handlerDigest }: FoundHook,
  home: string,
): Promise<string> {
  const now = openedFile(handler);
  if (now === undefined || now.digest !== handlerDigest)
    throw new AppError("E_FORBIDDEN", `hook ${id} has changed since it was allowed and does not run`, {
      hint: "check it, then run agent gateway run --accept-hooks",
    });
  const inPackage = script && openedFile(join(dir, "package.json")) !== undefined;
  return inPackage || NEIGHBOURS.test(now.bytes.toString("utf8")) ? handler : await privateCopy(now, home);
}
