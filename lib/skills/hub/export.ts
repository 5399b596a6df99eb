import { AppError } from "../../base/errors.js";
import { pathExists } from "../../base/fs/directory.js";
import { writeGzip } from "../../base/fs/gzip-file.js";
import type { SkillFile } from "../../contracts/skills/guard.js";
import { tarWriter } from "../../safety/archive/tar-write.js";

interface Export {
  readonly name: string;
  readonly to: string;
  readonly force: boolean;
  readonly now: number;
}

/** Write a skill as `.tar.gz` with one directory in it, which `agent skills install` takes. @throws E_CONFLICT the file is there */
export async function exportSkill(files: readonly SkillFile[], { name, to, force, now }: Export) {
  if (pathExists(to) && !force)
    throw new AppError("E_CONFLICT", `${to} exists already`, { hint: "--force replaces it" });
  const bytes = await writeGzip(to, async (write) => {
    const tar = tarWriter(write, Math.floor(now / 1000));
    for (const file of files) await tar.add(`${name}/${file.path}`, file.bytes.length, piece(file.bytes));
    await tar.end();
  });
  return { path: to, bytes };
}

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
