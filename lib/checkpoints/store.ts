import { dirname, join } from "node:path";
import { AppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import type { Disk } from "../base/fs/disk.js";
import type { Ids } from "../base/ids.js";
import { sha256 } from "../base/text/hash.js";
import type { EpochMs } from "../base/units.js";
import { type Contents, openContents } from "./contents.js";
import { countFiles, decodeManifest, encodeManifest, type Manifest } from "./manifest.js";
import {
  type CheckpointHeader,
  LAYOUT,
  type NewUse,
  NOTHING_LEFT,
  type ProjectRecord,
  readHeader,
  readLeft,
  readProject,
  type UnrestoredRecord,
} from "./records.js";

/** One directory with its checkpoints, oldest first. */
export interface Project {
  record: ProjectRecord;
  readonly key: string;
  headers: readonly CheckpointHeader[];
  /** Undefined until it is first asked for. */
  left: UnrestoredRecord | undefined;
}

/** What a checkpoint is made of. Its contents are in the store already. */
export interface NewCheckpoint {
  readonly manifest: Manifest;
  readonly use: NewUse;
  readonly partial?: CheckpointHeader["partial"];
}

/**
 * The store of checkpoints: one folder for each directory, one pool of contents. A checkpoint is there when its header is; the manifest is
 * there before, and the contents before that. What a kill left between is collected when the store is next opened to write.
 */
export interface CheckpointStore {
  readonly contents: Contents;
  projects(): readonly Project[];
  projectOf(directory: string): Project | undefined;
  begin(directory: string, at: EpochMs): Project;
  touch(project: Project, at: EpochMs): void;
  add(project: Project, given: NewCheckpoint): Promise<CheckpointHeader>;
  /** The directory was in the state of this checkpoint once more. */
  use(project: Project, id: string, use: NewUse): CheckpointHeader;
  /** Replace what a checkpoint knows; paths are only ever added. */
  amend(project: Project, id: string, manifest: Manifest): Promise<void>;
  /** @throws E_STORE when it is damaged */
  manifest(project: Project, header: CheckpointHeader): Promise<Manifest>;
  left(project: Project): UnrestoredRecord;
  setLeft(project: Project, left: UnrestoredRecord): void;
  drop(project: Project, id: string): void;
  dropProject(project: Project): void;
  /** Every content that a checkpoint needs. */
  used(): Promise<ReadonlySet<string>>;
  /** Bytes of everything. */
  size(): number;
  damaged(): number;
}

export interface StoreDeps {
  readonly disk: Disk;
  readonly ids: Pick<Ids, "hex">;
  /** Nothing is created or cleared away. */
  readonly readonly: boolean;
}

const MANIFESTS_KEPT = 3;

interface Opened extends StoreDeps {
  readonly dir: string;
  readonly all: Map<string, Project>;
  readonly cache: Map<string, Manifest>;
  readonly contents: Contents;
  damaged: number;
}

/** Open the store in `dir`, which exists. */
export function openStore(dir: string, deps: StoreDeps): CheckpointStore {
  const { disk } = deps;
  const pool = join(dir, "contents");
  if (!deps.readonly) clearDrafts(dir, disk);
  const contents = openContents(disk, pool, () => deps.ids.hex(8));
  const opened: Opened = { ...deps, dir, all: new Map(), cache: new Map(), contents, damaged: contents.damaged.length };
  for (const key of disk.list(join(dir, "projects"))) loadProject(opened, key);
  return {
    contents,
    projects: () => [...opened.all.values()],
    projectOf: (directory) => opened.all.get(keyOf(directory)),
    begin: (directory, at) => begin(opened, directory, at),
    touch: (project, at) => writeProject(opened, project, { ...project.record, last_touch: at }),
    add: (project, given) => add(opened, project, given),
    use: (project, id, use) => {
      const header = mustHave(project, id);
      return writeHeader(opened, project, { ...header, uses: [...header.uses, { ...use, n: nextUse(project) }] });
    },
    amend: async (project, id, manifest) => {
      const header = mustHave(project, id);
      await writeManifest(opened, project, header, manifest);
      writeHeader(opened, project, { ...header, files: countFiles(manifest) });
    },
    manifest: (project, header) => manifestOf(opened, project, header),
    left: (project) => leftOf(opened, project),
    setLeft: (project, left) => {
      writeWhole(disk, join(folder(opened, project), LEFT), JSON.stringify(left));
      project.left = left;
    },
    drop: (project, id) => drop(opened, project, id),
    dropProject: (project) => {
      for (const header of project.headers) drop(opened, project, header.id);
      disk.remove(folder(opened, project));
      disk.syncDir(join(dir, "projects"));
      opened.all.delete(project.key);
    },
    used: () => used(opened),
    size: () => contents.size() + sizeOf(opened),
    damaged: () => opened.damaged,
  };
}

const LEFT = "left.json";
const PROJECT = "project.json";
const HEADER = ".json";
const STATE = ".state";

const keyOf = (directory: string): string => sha256(directory).slice(0, 16);
const folder = ({ dir }: Pick<Opened, "dir">, { key }: Pick<Project, "key">): string => join(dir, "projects", key);
const nameOf = ({ seq, id }: Pick<CheckpointHeader, "seq" | "id">): string => `${String(seq).padStart(8, "0")}-${id}`;

/** Lay the store out, when it is first needed. */
function prepare(dir: string, disk: Disk): void {
  for (const inner of ["contents", "projects"]) disk.mkdir(join(dir, inner));
  if (disk.readFile(join(dir, "layout")) === undefined) writeWhole(disk, join(dir, "layout"), `${LAYOUT}\n`);
}

/** What a kill left of files that were being written. */
function clearDrafts(dir: string, disk: Disk): void {
  const folders = [
    dir,
    join(dir, "contents"),
    ...disk.list(join(dir, "projects")).map((key) => join(dir, "projects", key)),
  ];
  for (const place of folders)
    for (const name of disk.list(place)) if (name.endsWith(".part")) disk.remove(join(place, name));
}

/** A reader sees the old file or the new one, and the new one is on the disk when this returns. */
function writeWhole(disk: Disk, path: string, bytes: string | Uint8Array): void {
  const draft = `${path}.part`;
  const file = disk.open(draft, "create");
  try {
    file.write(typeof bytes === "string" ? Buffer.from(bytes) : bytes, 0);
    file.syncNow();
  } catch (error) {
    file.close();
    disk.remove(draft);
    throw error;
  }
  file.close();
  disk.rename(draft, path);
  disk.syncDir(dirname(path));
}

function loadProject(opened: Opened, key: string): void {
  const { disk } = opened;
  const place = folder(opened, { key });
  const names = disk.list(place);
  const record = readProject(disk.readFile(join(place, PROJECT))?.toString("utf8") ?? "");
  if (record === undefined) {
    if (names.some((name) => name.endsWith(STATE))) opened.damaged += 1;
    else if (!opened.readonly) disk.remove(place); // a project that was being begun
    return;
  }
  const headers: CheckpointHeader[] = [];
  for (const name of names) {
    if (!name.endsWith(HEADER) || name === LEFT || name === PROJECT) continue;
    const header = readHeader(disk.readFile(join(place, name))?.toString("utf8") ?? "");
    if (header !== undefined && names.includes(`${nameOf(header)}${STATE}`)) headers.push(header);
    else opened.damaged += 1;
  }
  const known = new Set(headers.map((header) => `${nameOf(header)}${STATE}`));
  const leftover = names.filter(
    (name) => name.endsWith(STATE) && !known.has(name) && !names.includes(name.replace(STATE, HEADER)),
  );
  if (!opened.readonly) for (const name of leftover) disk.remove(join(place, name));
  opened.all.set(key, { record, key, headers: headers.sort((a, b) => a.seq - b.seq), left: undefined });
}

function begin(opened: Opened, directory: string, at: EpochMs): Project {
  const key = keyOf(directory);
  const known = opened.all.get(key);
  if (known) return known;
  prepare(opened.dir, opened.disk);
  const record = { directory, hash: key, created_at: at, last_touch: at };
  const project: Project = { record, key, headers: [], left: NOTHING_LEFT };
  opened.disk.mkdir(folder(opened, project));
  opened.disk.syncDir(join(opened.dir, "projects"));
  writeProject(opened, project, record);
  opened.all.set(key, project);
  return project;
}

function writeProject(opened: Opened, project: Project, record: ProjectRecord): void {
  writeWhole(opened.disk, join(folder(opened, project), PROJECT), JSON.stringify(record));
  project.record = record;
}

const nextUse = (project: Project): number =>
  1 + Math.max(0, project.left?.upto ?? 0, ...project.headers.flatMap(({ uses }) => uses.map(({ n }) => n)));

async function add(
  opened: Opened,
  project: Project,
  { manifest, use, partial }: NewCheckpoint,
): Promise<CheckpointHeader> {
  leftOf(opened, project); // the numbers of uses go on from what it says
  const last = project.headers.at(-1);
  const header: CheckpointHeader = {
    id: freshId(opened),
    seq: (last?.seq ?? 0) + 1,
    made_at: use.at,
    parent: last?.id ?? null,
    files: countFiles(manifest),
    ...(partial === undefined ? {} : { partial }),
    uses: [{ ...use, n: nextUse(project) }],
  };
  await writeManifest(opened, project, header, manifest);
  faultPoint("checkpoint.manifest-there");
  writeHeader(opened, project, header);
  faultPoint("checkpoint.there");
  return header;
}

function freshId(opened: Opened): string {
  for (;;) {
    const id = opened.ids.hex(4);
    const taken = [...opened.all.values()].some((project) => project.headers.some((header) => header.id === id));
    if (!taken) return id;
  }
}

async function writeManifest(
  opened: Opened,
  project: Project,
  header: CheckpointHeader,
  manifest: Manifest,
): Promise<void> {
  writeWhole(opened.disk, join(folder(opened, project), `${nameOf(header)}${STATE}`), await encodeManifest(manifest));
  remember(opened, header.id, manifest);
}

function writeHeader(opened: Opened, project: Project, header: CheckpointHeader): CheckpointHeader {
  writeWhole(opened.disk, join(folder(opened, project), `${nameOf(header)}${HEADER}`), JSON.stringify(header));
  project.headers = [...project.headers.filter(({ id }) => id !== header.id), header].sort((a, b) => a.seq - b.seq);
  return header;
}

function remember({ cache }: Opened, id: string, manifest: Manifest): void {
  cache.delete(id);
  cache.set(id, manifest);
  for (const oldest of cache.keys()) {
    if (cache.size <= MANIFESTS_KEPT) return;
    cache.delete(oldest);
  }
}

async function manifestOf(opened: Opened, project: Project, header: CheckpointHeader): Promise<Manifest> {
  const known = opened.cache.get(header.id);
  if (known) return known;
  const bytes = opened.disk.readFile(join(folder(opened, project), `${nameOf(header)}${STATE}`));
  try {
    const manifest = await decodeManifest(bytes ?? Buffer.alloc(0));
    remember(opened, header.id, manifest);
    return manifest;
  } catch (error) {
    throw new AppError(
      "E_STORE",
      `checkpoint ${header.id} is damaged`,
      { hint: "choose another: agent checkpoints list" },
      error,
    );
  }
}

function leftOf(opened: Opened, project: Project): UnrestoredRecord {
  project.left ??=
    readLeft(opened.disk.readFile(join(folder(opened, project), LEFT))?.toString("utf8") ?? "") ?? NOTHING_LEFT;
  return project.left;
}

function mustHave(project: Project, id: string): CheckpointHeader {
  const header = project.headers.find((one) => one.id === id);
  if (header === undefined)
    throw new AppError("E_NOT_FOUND", `no such checkpoint: ${id}`, {
      hint: "agent checkpoints list lists checkpoints",
    });
  return header;
}

/** The header goes first: what is left of a removal that is cut short no longer counts as a checkpoint. */
function drop(opened: Opened, project: Project, id: string): void {
  const header = mustHave(project, id);
  const place = folder(opened, project);
  opened.disk.remove(join(place, `${nameOf(header)}${HEADER}`));
  opened.disk.syncDir(place);
  opened.disk.remove(join(place, `${nameOf(header)}${STATE}`));
  opened.cache.delete(id);
  project.headers = project.headers.filter((one) => one.id !== id);
}

/** What a checkpoint with a damaged manifest needs is unknown. */
async function used(opened: Opened): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const project of opened.all.values()) {
    for (const header of project.headers) {
      const bytes =
        opened.cache.get(header.id) ?? (await decodeManifest(bytesOf(opened, project, header)).catch(() => undefined));
      for (const entry of bytes?.values() ?? []) if (entry.kind === "file") hashes.add(entry.hash);
    }
  }
  return hashes;
}

const bytesOf = (opened: Opened, project: Project, header: CheckpointHeader): Buffer =>
  opened.disk.readFile(join(folder(opened, project), `${nameOf(header)}${STATE}`)) ?? Buffer.alloc(0);

function sizeOf(opened: Opened): number {
  let bytes = 0;
  for (const project of opened.all.values()) {
    const place = folder(opened, project);
    for (const name of opened.disk.list(place)) bytes += fileSize(opened.disk, join(place, name));
  }
  return bytes;
}

function fileSize(disk: Disk, path: string): number {
  const file = disk.open(path, "read");
  try {
    return file.size();
  } finally {
    file.close();
  }
}
