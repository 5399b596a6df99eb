import { basename, dirname, join } from "node:path";
import { makeDirectory, readFileBytes, statPath, writeAtomic } from "../../base/fs/files.js";
import type { PictureType } from "../../base/fs/picture-facts.js";
import type { Home } from "../../base/home.js";
import type { SessionId } from "../../base/units.js";
import type { MessagePicture, PicturedText } from "../../contracts/models/pictures.js";

/** `@image:PATH`, in quotes where there are blanks in it. */
export const MENTION = /(?<![\w@/])@image:(?:"([^"\n]{1,2000})"|([^\s"]{1,2000}))/g;

/** What every mention begins with. */
export const MENTIONED = "@image:";

/** The paths that a text mentions. */
export const mentionedIn = (text: string): readonly string[] =>
  [...text.matchAll(MENTION)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** Where pictures wait that no message holds yet. */
export const waitingIn = ({ cache }: Pick<Home, "cache">): string => join(cache, "attached");

export const mentionOf = (path: string): string => MENTIONED + (/[\s"]/.test(path) ? `"${path}"` : path);

/** How files of pictures end. */
export const PICTURE_ENDINGS: Readonly<Record<PictureType, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
};

/** Files are named by their content, and then as they were called. */
export const KEPT_NAME = /^[0-9a-f]{16}-(.+)$/;

/**
 * The pictures that a text mentions, of those that are kept for messages, as files of a lineage: they are durable when it resolves, and go with the
 * lineage. What mentions anything else stays as it is.
 */
export async function claimPictures(
  home: Pick<Home, "cache">,
  text: string,
  lineage: SessionId,
): Promise<PicturedText> {
  if (!text.includes(MENTIONED)) return { text, pictures: [] };
  const waiting = waitingIn(home);
  const own = join(waiting, lineage);
  const names = new Map<string, MessagePicture>();
  for (const [whole, quoted, plain] of text.matchAll(MENTION)) {
    const path = quoted ?? plain ?? "";
    const name = KEPT_NAME.exec(basename(path))?.[1];
    if (name === undefined || (dirname(path) !== waiting && dirname(path) !== own) || names.has(whole)) continue;
    const mine = join(own, basename(path));
    if (await takenOver(path, mine, own)) names.set(whole, { path: mine, name });
  }
  const named = text.replace(MENTION, (whole) => {
    const picture = names.get(whole);
    return picture === undefined ? whole : `[image ${picture.name}: ${picture.path}]`;
  });
  const pictures = new Map([...names.values()].map((one) => [one.path, one]));
  return { text: named, pictures: [...pictures.values()] };
}

/** @returns false when the file no longer exists */
async function takenOver(from: string, to: string, folder: string): Promise<boolean> {
  if ((await statPath(to)) !== undefined) return true;
  const bytes = await readFileBytes(from);
  if (bytes === undefined) return false;
  await makeDirectory(folder, 0o700);
  await writeAtomic(to, bytes, 0o600);
  return true;
}

/** The text holds a picture that is kept for a message. */
export const mentionsPicture = (home: Pick<Home, "cache">, text: string): boolean =>
  text.includes(`${MENTIONED}${waitingIn(home)}/`) || text.includes(`${MENTIONED}"${waitingIn(home)}/`);
