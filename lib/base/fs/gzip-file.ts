import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { AppError, systemCode } from "../errors.js";

/**
 * Write a gzip file (0600) so that there is the whole of it or nothing: beside its name first, synced, renamed.
 *
 * @returns bytes on the disk
 */
export async function writeGzip(
  path: string,
  produce: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<number> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 100)}.${process.pid}.part`);
  const zip = createGzip();
  const file = createWriteStream(draft, { mode: 0o600 });
  const done = finished(zip.pipe(file));
  done.catch(() => undefined); // told below
  try {
    await produce(async (bytes) => {
      if (file.errored) throw file.errored;
      if (!zip.write(bytes)) await Promise.race([once(zip, "drain"), done]);
    });
    zip.end();
    await done;
    const size = await sync(draft);
    await rename(draft, path);
    await sync(dirname(path));
    return size;
  } catch (error) {
    zip.destroy();
    file.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

async function sync(path: string): Promise<number> {
  const file = await open(path, "r");
  try {
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** What a gzip file holds, piece by piece. @throws E_INVALID for another format, or a damaged or cut file; E_NOT_FOUND for a missing one */
export async function* readGzip(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: 64 << 10 });
  const zip = createGunzip();
  file.on("error", (error) => zip.destroy(error));
  try {
    for await (const piece of file.pipe(zip)) yield piece as Buffer; // a stream without an encoding gives buffers
  } catch (error) {
    throw readable(path, error);
  } finally {
    file.destroy();
    zip.destroy();
  }
}

function readable(path: string, error: unknown): unknown {
  const code = systemCode(error) ?? "";
  if (code === "ENOENT")
    return new AppError("E_NOT_FOUND", `no such file: ${path}`, { path, hint: "check the path of the archive" }, error);
  if (code === "EISDIR")
    return new AppError("E_INVALID", `${path} is a directory`, { path, hint: "pass the archive file" }, error);
  if (code.startsWith("Z_"))
    return new AppError(
      "E_INVALID",
      `${path} is not a gzip file, or is damaged or truncated`,
      { path, hint: "use another copy of it" },
      error,
    );
  return error;
}
