import { createHash } from "node:crypto";
import { basename, extname, join } from "node:path";
import { AppError } from "../../base/errors.js";
import {
  changedAt,
  listDirectory,
  makeDirectory,
  readFileBytes,
  realPath,
  removeFile,
  statPath,
  writeAtomic,
} from "../../base/fs/files.js";
import { longestSide, mimeOf, PICTURE_BYTES, PICTURE_SIDE, PICTURE_SOURCE_BYTES } from "../../base/fs/picture-facts.js";
import { pictureForModels } from "../../base/fs/picture-scale.js";
import type { Home } from "../../base/home.js";
import type { ChatPicturesApi } from "../../contracts/chat/pictures.js";
import type { KeptPicture } from "../../contracts/models/pictures.js";
import { isBelow } from "../../safety/paths/paths.js";
import {
  KEPT_NAME,
  MENTION,
  MENTIONED,
  mentionedIn,
  mentionOf,
  mentionsPicture,
  PICTURE_ENDINGS,
  waitingIn,
} from "./picture-mentions.js";
import { meantPath } from "./typed-path.js";

/** Pictures of one message, pictures that no text names yet, and pictures of texts that were not sent yet. */
const MOST_OF_MESSAGE = 16;
const MOST_WAITING = 50;
const MOST_NAMED = 1_000;

/** Where pictures are kept. */
export interface PicturePlace extends Pick<Home, "cache"> {
  /** Texts with these words that wait to be sent, in queues and input lines: the pictures that they mention stay. */
  waiting(words: string): Promise<readonly string[]>;
}

/**
 * Keep a copy of a picture for a message, as models get it. It waits until a message mentions it; of those that no queue and no draft mentions the oldest go.
 *
 * @throws E_NOT_FOUND, E_INVALID for a file that is not a picture that models accept, E_TOO_LARGE naming the limit for what cannot be scaled, E_BUSY when too many wait with their messages
 */
async function keepPicture(home: PicturePlace, path: string, given = basename(path)): Promise<KeptPicture> {
  const real = (await realPath(path)) ?? path;
  const facts = await statPath(real);
  if (facts === undefined)
    throw new AppError("E_NOT_FOUND", `no such file: ${path}`, { path, hint: "use an existing image file" });
  if (facts.kind !== "file")
    throw new AppError("E_INVALID", `${path} is a ${facts.kind}, not an image`, { path, hint: "use a file" });
  if (facts.size > PICTURE_SOURCE_BYTES)
    throw tooLarge(given, `${mebibytes(facts.size)} MiB`, `${PICTURE_SOURCE_BYTES >> 20} MiB`);
  const bytes = (await readFileBytes(real)) ?? Buffer.alloc(0);
  if (mimeOf(bytes) === undefined)
    throw new AppError("E_INVALID", `unsupported image: ${given}`, {
      path,
      hint: "PNG, JPEG, GIF and WebP are",
    });
  const shown = await pictureForModels(bytes);
  if ("why" in shown) throw asItIs(given, bytes, shown.why);
  return store(home, { given, bytes: shown.bytes, ending: PICTURE_ENDINGS[shown.mime] });
}

/** It is too large, and could not be scaled. */
function asItIs(given: string, bytes: Buffer, why: string): AppError {
  const side = longestSide(bytes) ?? 0;
  const hint = `it is not scaled: ${why}`;
  return bytes.length > PICTURE_BYTES
    ? tooLarge(given, `${mebibytes(bytes.length)} MiB`, `${PICTURE_BYTES >> 20} MiB`, hint)
    : tooLarge(given, `${side} pixels on its longer side`, `${PICTURE_SIDE} pixels`, hint);
}

const mebibytes = (size: number): string => (size / (1 << 20)).toFixed(1);

const SMALLER = "reduce its size, or send a part of it";

const tooLarge = (name: string, has: string, limit: string, hint = SMALLER): AppError =>
  new AppError("E_TOO_LARGE", `image ${name} has ${has} (limit ${limit})`, { hint });

interface Found {
  readonly given: string;
  readonly bytes: Buffer;
  readonly ending: string;
}

async function store(home: PicturePlace, { given, bytes, ending }: Found): Promise<KeptPicture> {
  const stem = basename(given, extname(given)).replace(/[^\p{L}\p{N}_.-]+/gu, "_");
  const name = `${[...stem].slice(0, 60).join("") || "image"}${ending}`;
  const folder = waitingIn(home);
  const path = join(folder, `${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}-${name}`);
  await makeDirectory(folder, 0o700);
  await makeRoom(folder, home);
  await writeAtomic(path, bytes, 0o600);
  return { path, name, bytes: bytes.length, mention: mentionOf(path) };
}

/** For one more. */
async function makeRoom(folder: string, { waiting }: PicturePlace): Promise<void> {
  const there = (await listDirectory(folder)).filter(({ name, kind }) => kind === "file" && KEPT_NAME.test(name));
  if (there.length < MOST_WAITING) return;
  const named = new Set((await waiting(MENTIONED)).flatMap((text) => mentionedIn(text)));
  const free = there.filter(({ name }) => !named.has(join(folder, name)));
  if (there.length - free.length >= MOST_NAMED)
    throw new AppError("E_BUSY", `too many images in unsent messages (limit ${MOST_NAMED})`, {
      bound: MOST_NAMED,
      hint: "send or remove queued messages and drafts with images",
    });
  const aged = free.map(({ name }) => ({ name, at: changedAt(join(folder, name)) })).sort((a, b) => b.at - a.at);
  for (const { name } of aged.slice(MOST_WAITING - 1)) await removeFile(join(folder, name));
}

/** A path as it was written, made absolute; undefined: it is not possible. */
type PathFinder = (given: string) => string | undefined;

/**
 * A text whose mentions of pictures name kept copies. A mention without a file stays a word.
 *
 * @param more paths of pictures that the message holds besides
 * @throws E_INVALID, E_TOO_LARGE, E_NOT_FOUND for one of `more`
 */
async function withKeptPictures(
  home: PicturePlace,
  text: string,
  { find, more = [] }: { readonly find: PathFinder; readonly more?: readonly string[] },
): Promise<string> {
  if (more.length === 0 && !text.includes(MENTIONED)) return text;
  // Before anything is kept: each copy may make room at the cost of another one's attachment.
  if (mentionedIn(text).length + more.length > MOST_OF_MESSAGE)
    throw new AppError("E_TOO_LARGE", `a message may have at most ${MOST_OF_MESSAGE} images`, {
      hint: "send the rest with the next message",
    });
  const kept = new Map<string, string>();
  for (const [whole, quoted, plain] of text.matchAll(MENTION)) {
    const path = find(quoted ?? plain ?? "");
    if (path === undefined || kept.has(whole) || isBelow(path, waitingIn(home))) continue;
    if ((await statPath((await realPath(path)) ?? path))?.kind === "file")
      kept.set(whole, (await keepPicture(home, path)).mention);
  }
  const added: string[] = [];
  for (const path of more) added.push((await keepPicture(home, find(path) ?? path)).mention);
  const named = text.replace(MENTION, (whole) => kept.get(whole) ?? whole);
  return [named, ...added].filter((one) => one !== "").join("\n");
}

/** Pictures of a home for the messages of its conversations. */
export const picturesOf = (home: PicturePlace): ChatPicturesApi => ({
  keepPicture: (path, cwd, name) => keepPicture(home, meantPath(path, cwd) ?? path, name),
  withPictures: ({ text, cwd, files }) =>
    withKeptPictures(home, text, {
      find: (given) => meantPath(given, cwd),
      ...(files === undefined ? {} : { more: files }),
    }),
  holdsPicture: (text) => Promise.resolve(mentionsPicture(home, text)),
});
