import { join } from "node:path";
import { listDirectory, removeFile } from "../../base/fs/files.js";
import { removeTreeSync } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { Leader, Spawner } from "../../base/process/spawn.js";
import { END_GRACE } from "../core/child.js";
import { shellDir } from "./image.js";

/**
 * End the shells of commands whose owner was killed: their output has lost its reader, and their turn is about to be closed. For an owner at its
 * start, when every other shell of its home is that of a worker. What such a shell had left behind on purpose before, a process in the
 * background that still gets input, and a shell that has become another program by `exec` are left alone.
 */
export async function endLeftShells(spawner: Spawner, home: Pick<Home, "runDir">, log: Log): Promise<void> {
  const dir = shellDir(home);
  const left = spawner.leaders().filter((one) => isLeft(one, `${dir}/`));
  if (left.length > 0) {
    log.warning("commands of an owner that was killed are ended", { pids: left.map(({ id }) => id.pid).join(" ") });
    await Promise.all(left.map((one) => end(spawner, one, dir)));
  }
  await removeLeftFiles(spawner, dir);
}

/**
 * Files of shells that are no longer waited for: an owner that was killed between two commands leaves the exports of the last one, which may hold secrets.
 * Who still needs a file names it in its command line, and every shell is started by a leader or is one. Only where the system tells who leads.
 */
async function removeLeftFiles(spawner: Spawner, dir: string): Promise<void> {
  if (process.platform !== "linux") return;
  const files = await listDirectory(dir);
  if (files.length === 0) return;
  const said = spawner.leaders().flatMap(({ args }) => args);
  const needed = ({ name }: { readonly name: string }) => said.some((word) => word.includes(name));
  const unneeded = files.filter((file) => !needed(file));
  await Promise.all(
    unneeded.map(({ name, kind }) =>
      kind === "directory" ? removeTreeSync(join(dir, name)) : removeFile(join(dir, name)),
    ),
  );
}

async function end(spawner: Spawner, { id, args }: Leader, dir: string): Promise<void> {
  if (spawner.alive(id)) await spawner.endGroup(id.pid, END_GRACE);
  // Told to end, it has written its exports, which may hold secrets.
  const files = args.flatMap((word) => word.match(/[0-9a-f]+\.state\b/g) ?? []);
  await Promise.all([...new Set(files)].map((file) => removeFile(join(dir, file))));
}

/** The input tells the command that a turn waits for from one in the background, whose input is a pipe: that may be meant to stay. */
function isLeft({ args, env, input }: Leader, files: string): boolean {
  const ofWorker = env.some((entry) => entry.startsWith("AGENT_WORKER_MARK="));
  return !ofWorker && input === "/dev/null" && args.some((word) => word.includes(files));
}
