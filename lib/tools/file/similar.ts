import { basename, dirname, join } from "node:path";
import { listDirectory, statPath } from "../../base/fs/files.js";
import { similarity } from "../core/repair.js";

const AT_MOST = 5;

/** Names near a path that does not exist, best first. */
export async function similarFiles(path: string): Promise<readonly string[]> {
  const dir = await nearestDirectory(dirname(path));
  const wanted = basename(path).toLowerCase().slice(0, 100);
  const entries = (await listDirectory(dir)).slice(0, 2_000);
  return entries
    .map((entry) => ({ path: join(dir, entry.name), score: score(entry.name.toLowerCase().slice(0, 100), wanted) }))
    .filter((entry) => entry.score >= 0.5)
    .sort((a, b) => b.score - a.score)
    .slice(0, AT_MOST)
    .map((entry) => entry.path);
}

const score = (name: string, wanted: string) =>
  name.includes(wanted) || wanted.includes(name) ? 0.9 : similarity(name, wanted);

async function nearestDirectory(path: string): Promise<string> {
  for (let dir = path; ; dir = dirname(dir)) {
    if ((await statPath(dir))?.kind === "directory" || dirname(dir) === dir) return dir;
  }
}
