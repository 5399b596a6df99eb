import { extname, join } from "node:path";
import type { Download } from "playwright-core";
import { listNames, makeDir } from "../../../lib/base/fs/directory.js";
import { removeFile } from "../../../lib/base/fs/files.js";
import { entryAt } from "../../../lib/base/fs/tree.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";
import type { BrowserSession, DownloadNews } from "../session.js";

/** One file, and all of one session: what an agent may fetch without being asked. */
export const DOWNLOAD_BYTES = 100 << 20;
const DOWNLOADS = 50;

export interface DownloadParts {
  readonly clock: Clock;
  readonly dir: string;
  /** Downloads that the browser itself was asked to stop because they grew too large, by their address. */
  readonly tooLarge: ReadonlySet<string>;
}

/** Files that pages of a context send. Each is put into `downloads` of the session under a safe name that is not there yet, readable by this user alone. */
export function createDownloads({
  clock,
  dir,
  tooLarge,
}: DownloadParts): BrowserSession["downloads"] & { begin(download: Download): void } {
  const news: DownloadNews[] = [];
  const running = new Set<Promise<void>>();
  const names = new Set(listNames(join(dir, "downloads")).map((name) => name.toLowerCase()));
  let count = 0;
  const take = async (download: Download): Promise<void> => {
    const name = freeName(safeName(download.suggestedFilename()), names);
    count += 1;
    if (count > DOWNLOADS) {
      await download.cancel();
      news.push({ name, error: `refused: a session may download at most ${DOWNLOADS} files` });
      return;
    }
    names.add(name.toLowerCase());
    const failure = await download.failure();
    const large = `refused: it is larger than ${DOWNLOAD_BYTES >> 20} MB`;
    if (failure !== null) {
      news.push({ name, error: tooLarge.has(download.url()) ? large : `the download failed (${failure})` });
      return;
    }
    const path = join(dir, "downloads", name);
    makeDir(join(dir, "downloads"));
    await download.saveAs(path);
    await download.delete();
    const facts = await entryAt(path);
    // A fast one may have come whole before the browser told how far it was.
    if (facts !== undefined && facts.size > DOWNLOAD_BYTES) {
      await removeFile(path);
      news.push({ name, error: large });
      return;
    }
    news.push({ name, path, ...(facts === undefined ? {} : { bytes: facts.size }) });
  };
  const begin = (download: Download): void => {
    const one = take(download)
      .catch((error: unknown) => {
        const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
        news.push({ name: safeName(download.suggestedFilename()), error: `the download failed (${why})` });
      })
      .finally(() => running.delete(one));
    running.add(one);
  };
  return {
    begin,
    running: () => running.size,
    taken: async (ms: Ms = 0) => {
      if (ms > 0 && running.size > 0) await settlesWithin(clock, ms, Promise.all(running));
      return news.splice(0);
    },
  };
}

const NAME_CHARS = 120;
/** Names that mean something else to one system or another. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A name for a file that a page suggests: one part of a path, without signs that cannot be seen or that turn the line around. */
function safeName(suggested: string): string {
  const last = suggested.toWellFormed().normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .trim()
    .replace(/^\.+/, "")
    .replace(/[. ]+$/, "");
  const name = plain === "" ? "download" : RESERVED.test(plain) ? `_${plain}` : plain;
  if ([...name].length <= NAME_CHARS) return name;
  const ending = extname(name).slice(0, 16);
  return `${[...name].slice(0, NAME_CHARS - ending.length).join("")}${ending}`;
}

/** `report.pdf`, `report (2).pdf`, ... The directory is the session's own. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const ending = extname(name);
  const bare = name.slice(0, name.length - ending.length);
  for (let n = 1; ; n++) {
    const one = n === 1 ? name : `${bare} (${n})${ending}`;
    if (!taken.has(one.toLowerCase())) return one;
  }
}
