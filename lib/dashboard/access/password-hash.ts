import { scrypt } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { removeFileSync } from "../../base/fs/directory.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { Ids } from "../../base/ids.js";
import { sameText } from "../../safety/redact/same-text.js";

/** The password of the dashboard as it is kept: it cannot be recovered from this. */
const storedSchema = z.object({
  scheme: z.literal("scrypt"),
  n: z.literal(16_384),
  r: z.literal(8),
  p: z.literal(1),
  /** 16 bytes in base64. */
  salt: z.string(),
  hash: z.string(),
});
export type StoredPassword = z.output<typeof storedSchema>;

const COST = { N: 16_384, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Name of its file in the home; no tool reads or writes it. */
const FILE = "dashboard.json";

function derived(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, HASH_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** A new form of a password to be kept. */
export async function hashed(password: string, ids: Ids): Promise<StoredPassword> {
  const salt = Buffer.from(ids.hex(SALT_BYTES), "hex");
  const hash = (await derived(password, salt)).toString("base64");
  return { scheme: "scrypt", n: COST.N, r: COST.r, p: COST.p, salt: salt.toString("base64"), hash };
}

/** Takes the same time whether it is right or not, and without a stored one as well. */
export async function verifyPassword(password: string, stored: StoredPassword | undefined): Promise<boolean> {
  const salt = stored === undefined ? Buffer.alloc(SALT_BYTES) : Buffer.from(stored.salt, "base64");
  const right = stored === undefined ? Buffer.alloc(HASH_BYTES, 1) : Buffer.from(stored.hash, "base64");
  const given = await derived(password, salt);
  return sameText(given, right) && stored !== undefined;
}

/** The stored password of a home; undefined: none is set, or the file is broken and no password is accepted. */
export function readPassword(home: string): StoredPassword | undefined {
  const text = readTextSync(join(home, FILE));
  if (text === undefined) return undefined;
  try {
    return storedSchema.parse(JSON.parse(text));
  } catch {
    return undefined; // a file that cannot be read does not let anyone in
  }
}

/** Set or, without one, remove it. @returns whether there was one before */
export function writePassword(home: string, stored: StoredPassword | undefined): boolean {
  const before = readTextSync(join(home, FILE)) !== undefined;
  if (stored === undefined) removeFileSync(join(home, FILE));
  else replaceTextFile(join(home, FILE), `${JSON.stringify(stored)}\n`, 0o600);
  return before;
}
