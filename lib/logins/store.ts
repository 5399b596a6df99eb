import { join } from "node:path";
import { AppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import { listNames, makeDir, removeFileSync } from "../base/fs/directory.js";
import { tighten } from "../base/fs/home-files.js";
import { readFileChange, readTextSync, replaceTextFile } from "../base/fs/text-file.js";
import type { Log } from "../base/log/log.js";
import { type FileLock, type FileLockDeps, lockFile } from "../base/process/file-lock.js";
import { type EpochMs, type Ms, toIso } from "../base/units.js";
import { DOCUMENT_VERSION, LoginDocument, type LoginView } from "./core/document.js";

export interface LoginStoreDeps extends FileLockDeps {
  /** Home of the default profile: its logins serve all profiles. */
  readonly root: string;
  readonly clock: FileLockDeps["clock"] & { now(): EpochMs };
  readonly log: Log;
  /** Nothing is written, not even the mode of the file. */
  readonly readonly: boolean;
}

/** The logins and keys of one root home (proxy part, 4): one small file that several owners share. */
export interface LoginStore {
  readonly path: string;
  /** As the file is now. An unreadable one counts as empty. */
  view(): LoginView;
  /** Sentences about a file that cannot be used or written, for status and doctor. */
  problems(): readonly string[];
  /** What is changed would be kept. */
  writable(): boolean;
  /**
   * Change the store as it is on the disk; durable when it resolves. `change` never sees half a change of others and does not wait.
   *
   * @throws E_STATE a newer version wrote it; E_BUSY another process does not let go of it
   */
  update<T>(change: (document: LoginDocument) => T): Promise<T>;
  /** Hold one login for as long as it is refreshed. @throws E_BUSY; the signal's reason */
  lockLogin(provider: string, id: string, signal?: AbortSignal): Promise<FileLock>;
}

const FILE = "auth.json";
const STORE_LOCK_MS: Ms = 15_000;
const LOGIN_LOCK_MS: Ms = 30_000;

interface Loaded {
  readonly stamp: string;
  readonly document: LoginDocument;
  readonly problem?: string;
}

/** Open nothing yet: the file is looked at when it is asked for, and made with the first change. */
export function createLoginStore(deps: LoginStoreDeps): LoginStore {
  const path = join(deps.root, FILE);
  let known: Loaded | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const loaded = (): Loaded => {
    const stamp = readFileChange(path)?.stamp ?? "";
    if (known?.stamp !== stamp) known = { stamp, ...load(deps, path) };
    return known;
  };
  const change = async <T>(act: (document: LoginDocument) => T): Promise<T> => {
    makeDir(deps.root);
    const lock = await lockFile(join(deps.root, "auth.lock"), deps, { ms: STORE_LOCK_MS });
    try {
      faultPoint("logins.locked");
      const { document } = load(deps, path);
      if (document.version > DOCUMENT_VERSION) throw newer(path);
      const result = act(document);
      if (document.changed) write(deps.root, path, document.text(toIso(deps.clock.now())));
      faultPoint("logins.written");
      return result;
    } finally {
      lock.release();
    }
  };
  return {
    path,
    view: () => loaded().document,
    problems: () => {
      const { problem } = loaded();
      return problem === undefined ? [] : [problem];
    },
    writable: () => !deps.readonly && loaded().document.version <= DOCUMENT_VERSION,
    update: (act) => {
      const mine = last.then(() => change(act));
      last = mine.catch(() => undefined); // told to its own caller
      return mine;
    },
    lockLogin: (provider, id, signal) =>
      lockFile(join(deps.root, "locks", `auth-${provider}-${id}.lock`), deps, { ms: LOGIN_LOCK_MS, signal }),
  };
}

function load(deps: LoginStoreDeps, path: string): Omit<Loaded, "stamp"> {
  const text = readTextSync(path);
  if (text === undefined) return { document: new LoginDocument() };
  if (!deps.readonly) tightenAll(deps, path);
  const document = LoginDocument.parse(text);
  if (document === undefined) return { document: new LoginDocument(), problem: corrupt(deps, path, text) };
  if (document.version <= DOCUMENT_VERSION) return { document };
  return { document, problem: newer(path).message };
}

/** Others of this machine have no business here. */
function tightenAll({ root, log }: LoginStoreDeps, path: string): void {
  if (tighten(root, 0o700)) log.warning("the home was readable by others; its mode was corrected", { path: root });
  if (tighten(path, 0o600)) log.warning("the logins were readable by others; their mode was corrected", { path });
}

/** A copy is kept before anything can take the place of the file, one for each content. */
function corrupt({ root, clock, log, readonly }: LoginStoreDeps, path: string, text: string): string {
  const copies = listNames(root).filter((name) => name.startsWith(`${FILE}.corrupt.`));
  let copy = copies.map((name) => join(root, name)).find((one) => readTextSync(one) === text);
  if (copy === undefined && !readonly) {
    copy = `${path}.corrupt.${toIso(clock.now()).replace(/[-:.]/g, "")}`;
    replaceTextFile(copy, text, 0o600);
  }
  const said = `cannot read ${path}; treating it as empty${copy === undefined ? "" : `; a copy is ${copy}`}`;
  log.warning("failed to read the logins", { path, copy: copy ?? null });
  return said;
}

function newer(path: string): AppError {
  return new AppError("E_STATE", `${path} was written by a newer version; not changed`, {
    path,
    hint: "use a newer version",
  });
}

/** What a killed process was about to write holds secrets too; no other process writes while the lock is held. */
function write(root: string, path: string, text: string): void {
  tighten(root, 0o700); // before there is anything to see
  for (const name of listNames(root)) if (/^auth\.json\.\d+\.new$/.test(name)) removeFileSync(join(root, name));
  replaceTextFile(path, text, 0o600);
}
