import { AppError } from "../../base/errors.js";

/** Longest name of a member, in bytes, and of one of its parts. */
const NAME_BYTES = 1024;
const PART_BYTES = 255;

/** What is wrong with an archive, naming the member. Names of foreign archives are shown as JSON: they may hold anything. */
export function badArchive(why: string, member?: string): AppError {
  const where = member === undefined ? "" : ` ${JSON.stringify(member.slice(0, 200))}`;
  return new AppError("E_INVALID", `the archive is refused: ${why}${where}`, { hint: "nothing of it was taken over" });
}

/**
 * The name of a member as a relative path that stays below where it is put. A leading `./` is taken away, a directory loses its last slash.
 *
 * @throws E_INVALID absolute, with `..`, empty parts, control characters or backslashes, or too long
 */
export function checkName(given: string, directory: boolean): string {
  const shortened = given.replace(/^(\.\/)+/, "");
  const name = directory ? shortened.replace(/\/$/, "") : shortened;
  if (directory && (name === "" || name === ".")) return ".";
  if (name.startsWith("/")) throw badArchive("an absolute name", given);
  if (/[\u0000-\u001f\u007f\\]/.test(name)) throw badArchive("a control character or backslash in a name", given);
  if (Buffer.byteLength(name) > NAME_BYTES) throw badArchive("a name that is too long", given);
  for (const part of name.split("/")) {
    if (part === "..") throw badArchive("a name that leads outside", given);
    if (part === "" || part === ".") throw badArchive("a name with an empty part", given);
    if (Buffer.byteLength(part) > PART_BYTES) throw badArchive("a name that is too long", given);
  }
  return name;
}
