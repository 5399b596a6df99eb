import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, open } from "node:fs/promises";

/** Bytes 18 and 19 of the header say how the file is written; 1 is "without a journal beside it", which any SQLite opens read-only. */
const VERSIONS = Buffer.from([1, 1]);

/** Copy the main file of a store whose journal is merged and which stays as it is meanwhile. @returns SHA-256 of the copy */
export async function copyMain(from: string, to: string): Promise<string> {
  await copyFile(from, to);
  const file = await open(to, "r+");
  try {
    await file.chmod(0o600);
    await file.write(VERSIONS, 0, VERSIONS.length, 18);
    await file.sync();
  } finally {
    await file.close();
  }
  return digestOf(to);
}

/** SHA-256 of a file, hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
