import { basename, join } from "node:path";
import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import {
  appendText,
  listDirectory,
  makeDirectory,
  openToRead,
  readHead,
  removeFile,
  statPath,
} from "../../base/fs/files.js";
import { mimeOf } from "../../base/fs/picture-facts.js";
import { randomIds } from "../../base/ids.js";
import type { SessionId } from "../../base/units.js";
import { meantPath } from "../../runtime/pictures/typed-path.js";
import type { OwnerServices } from "../commands/owner-services.js";

const MAX_PASTE_BYTES = 16 << 20;
const MOST_KEPT = 50;
const HEAD_BYTES = 16;
const NAME = /^paste-[0-9a-f]{12}\.txt$/;

/** A file that a message can name. */
interface InputFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** Files that come in through an input line: a paste that no message holds, and paths that were dropped on the terminal. */
export function inputFileMethods({ chat, options }: OwnerServices): Methods {
  const dir = join(options.home.cache, "pastes");
  return new Map([
    [
      "paste.keep",
      defineMethod({
        // The first piece makes the file, the others name it.
        params: z.object({ text: z.string().max(1 << 20), name: z.string().regex(NAME).optional() }),
        access: "write",
        run: async ({ text, name }) => keep(dir, text, name),
      }),
    ],
    [
      "file.look",
      defineMethod({
        params: z.object({
          path: z.string().max(2_000),
          cwd: z.string().optional(),
          session_id: z.string().min(1).optional(),
        }),
        access: "read",
        run: async ({ path, cwd, session_id }) => {
          const session = session_id === undefined ? undefined : await chat.get(session_id as SessionId); // absent: then `cwd`
          return look(path, session?.cwd ?? cwd ?? options.home.dir);
        },
      }),
    ],
    [
      "image.attach",
      defineMethod({
        params: z.object({
          path: z.string().min(1).max(2_000),
          name: z.string().min(1).max(200).optional(),
          cwd: z.string().optional(),
          session_id: z.string().min(1).optional(),
        }),
        access: "write",
        repeat: () => "safe", // the same picture is kept once
        run: async ({ path, name, cwd, session_id }) => {
          const session = session_id === undefined ? undefined : await chat.get(session_id as SessionId); // absent: then `cwd`
          return chat.keepPicture(path, session?.cwd ?? cwd ?? options.home.dir, name);
        },
      }),
    ],
  ]);
}

async function keep(dir: string, text: string, given: string | undefined): Promise<InputFile> {
  await makeDirectory(dir, 0o700);
  const name = given ?? `paste-${randomIds.hex(6)}.txt`;
  const path = join(dir, name);
  const before = (await statPath(path))?.size ?? 0;
  if (given !== undefined && before === 0)
    throw new AppError("E_NOT_FOUND", `no such paste: ${given}`, { hint: "paste again" });
  if (before + Buffer.byteLength(text) > MAX_PASTE_BYTES)
    throw new AppError("E_TOO_LARGE", "a paste may have at most 16 MiB", {
      hint: "save it to a file and mention the file",
    });
  appendText(path, text, 0o600);
  if (given === undefined) await makeRoom(dir, name);
  return { path, name, bytes: before + Buffer.byteLength(text) };
}

/** The ones that were made longest ago go. */
async function makeRoom(dir: string, but: string): Promise<void> {
  const names = (await listDirectory(dir)).map(({ name }) => name).filter((name) => NAME.test(name) && name !== but);
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await statPath(join(dir, name)))?.mtimeMs ?? 0 })),
  );
  for (const { name } of aged.sort((a, b) => b.at - a.at).slice(MOST_KEPT)) await removeFile(join(dir, name));
}

/** The file that a pasted path means; `image`: a picture that models take, by its first bytes. */
async function look(given: string, cwd: string): Promise<(InputFile & { readonly image: boolean }) | null> {
  const whole = meantPath(given, cwd);
  const facts = whole === undefined ? undefined : await statPath(whole);
  if (whole === undefined || facts?.kind !== "file") return null;
  const head = await openToRead(whole).then(headOf, () => Buffer.alloc(0));
  return { path: whole, name: basename(whole), bytes: facts.size, image: mimeOf(head) !== undefined };
}

async function headOf(file: Awaited<ReturnType<typeof openToRead>>): Promise<Buffer> {
  try {
    return await readHead(file, HEAD_BYTES);
  } finally {
    await file.close();
  }
}
