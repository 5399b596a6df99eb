import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { makeDir } from "../../base/fs/directory.js";
import { realPath } from "../../base/fs/files.js";
import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import { type FileLockDeps, lockFile } from "../../base/process/file-lock.js";
import type { EpochMs } from "../../base/units.js";
import type { Config } from "../../contracts/config/config.js";
import { SKILLS_GUARD_AGENT_CREATED } from "../../contracts/skills/keys.js";
import type { SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillUsage, SkillUse } from "../../contracts/skills/usage.js";
import type {
  AppliedWrite,
  FileChange,
  SkillEdit,
  SkillPlan,
  SkillWrites,
  WrittenBy,
} from "../../contracts/skills/writes.js";
import { type ApplyDeps, carryOutWrite, finish } from "./apply.js";
import { diffOf } from "./diff.js";
import { guardPlan } from "./guard.js";
import type { KnownNames } from "./named.js";
import { createPending, type PendingStore, shownPending } from "./pending.js";
import { checkSkillName } from "./places.js";
import { planChanges } from "./plan.js";
import { idOf, sameBytes, type UseChange, type VersionRecord } from "./record.js";
import { dirStampOf, skillFileAt } from "./state.js";
import { createVersions, VERSIONS, type VersionStore } from "./versions.js";

export interface WritesDeps extends Omit<FileLockDeps, "ids"> {
  readonly home: Pick<Home, "dir">;
  readonly ids: Pick<Ids, "hex">;
  readonly config: Pick<Config, "get">;
  readonly now: () => EpochMs;
  readonly catalog: SkillsApi;
  readonly usage: () => Promise<SkillUsage>;
}

/** Another process of the home that changes skills is done long before. */
const WAIT_MS = 10_000;

interface Place extends ApplyDeps {
  readonly pending: PendingStore;
}

/** @see SkillWrites */
export function createWrites(deps: WritesDeps): SkillWrites {
  const known: KnownNames = new Map();
  const place = async (): Promise<Place> => {
    const dir = join(deps.home.dir, "skills");
    makeDir(dir);
    const root = (await realPath(dir)) ?? dir;
    const pending = createPending(root);
    return { root, pending, versions: createVersions(root), usage: deps.usage, settled: pending.remove };
  };
  /** A change that was cut short is completed before anything else is looked at. */
  const whole = async (): Promise<Place> => {
    const at = await place();
    if (at.versions.begun() !== undefined) await alone(at, async () => undefined);
    return at;
  };
  const alone = async <T>(at: Place, act: () => Promise<T>): Promise<T> => {
    const lock = await lockFile(join(at.root, VERSIONS, ".lock"), deps, { ms: WAIT_MS });
    try {
      await finish(at);
      return await act();
    } finally {
      lock.release();
    }
  };
  const plan = async (changes: SkillEdit | readonly SkillEdit[], by: WrittenBy): Promise<SkillPlan> => {
    const { root } = await whole();
    const list = "action" in changes ? [changes] : changes;
    const usage = await deps.usage();
    const planned = await planChanges(list, by, { root, known, ids: deps.ids, catalog: deps.catalog, usage });
    if (by.who === "user" || !deps.config.get(SKILLS_GUARD_AGENT_CREATED)) return planned;
    const { verdict, findings } = guardPlan(planned, root);
    return { ...planned, verdict, findings: [...planned.findings, ...findings] };
  };
  const apply = async (planned: SkillPlan, by: WrittenBy, pending?: string): Promise<AppliedWrite> => {
    const at = await place();
    return alone(at, async () => {
      if (pending !== undefined) at.pending.read(pending);
      const uses = usesOf(planned, by, { at: deps.now(), usage: await deps.usage() });
      const { name, names, summary, diff, files, moves } = planned;
      const record: VersionRecord = {
        name,
        names,
        summary,
        diff,
        files,
        moves,
        by,
        number: at.versions.next(name),
        at: deps.now(),
        uses,
        patched: patchedOf(planned, uses),
        ...(pending === undefined ? {} : { pending }),
      };
      await carryOutWrite(record, at);
      return { version: idOf(record) };
    });
  };
  return {
    plan,
    apply,
    undo: async (version, by) => {
      const at = await place();
      return alone(at, async () => {
        const undone = at.versions.read(version);
        const record = await inverse(undone, { by, at: deps.now(), number: at.versions.next(undone.name) }, at);
        await carryOutWrite(record, at);
        return { version: idOf(record) };
      });
    },
    versions: async (name) => {
      checkSkillName(name);
      return (await whole()).versions.list(name);
    },
    diff: async (version) => (await whole()).versions.read(version).diff,
    stage: async (planned, by) => {
      const at = await whole();
      const { name, summary, diff, findings, verdict, changes, files, moves } = planned;
      const id = deps.ids.hex(3);
      const value = {
        id,
        name,
        summary,
        by,
        at: deps.now(),
        diff,
        findings: [...findings],
        ...(verdict === undefined ? {} : { verdict }),
      };
      at.pending.write({ ...value, changes, files: [...files], moves: [...moves] });
      return value;
    },
    pending: async () => (await whole()).pending.all().map(shownPending),
    approve: async (id, by) => {
      const waiting = (await whole()).pending.read(id);
      const planned = await plan(waiting.changes, waiting.by);
      if (!samePlan(planned, waiting))
        throw new AppError("E_CONFLICT", `skill ${waiting.name} has changed since this change was requested`, {
          hint: `/skills reject ${id}, then ask for the change again`,
        });
      return apply(planned, { ...waiting.by, note: by.note ?? "approved by a person" }, id);
    },
    reject: async (id) => {
      const { pending } = await whole();
      const waiting = pending.read(id);
      pending.remove(id);
      return shownPending(waiting);
    },
  };
}

const NEW: SkillUse = {
  created_by: "agent",
  created_at: null,
  uses: 0,
  views: 0,
  patches: 0,
  last_activity_at: null,
  state: "active",
  pinned: false,
};

/** Records of use that begin, end or get another state with the change. */
function usesOf(
  { changes }: SkillPlan,
  { who }: WrittenBy,
  { at, usage }: { readonly at: EpochMs; readonly usage: SkillUsage },
): readonly UseChange[] {
  const all = usage.all();
  const next = (action: SkillEdit["action"], use: SkillUse): SkillUse | null | undefined => {
    if (action === "create")
      return { ...NEW, created_by: who === "user" ? "user" : "agent", created_at: at, last_activity_at: at };
    if (action === "delete") return null;
    if (action === "archive") return { ...use, state: "archived" };
    if (action === "restore") return { ...use, state: "active", last_activity_at: at };
    return undefined;
  };
  return changes.flatMap(({ action, name }) => {
    const after = next(action, usage.of(name));
    return after === undefined ? [] : [{ name, before: all.get(name) ?? null, after }];
  });
}

function patchedOf({ changes }: SkillPlan, uses: readonly UseChange[]): readonly string[] {
  const counted = new Set(uses.map(({ name }) => name));
  return [...new Set(changes.map(({ name }) => name))].filter((name) => !counted.has(name));
}

function samePlan(planned: SkillPlan, asked: Pick<SkillPlan, "files" | "moves">): boolean {
  const sameFile = (one: FileChange, other: FileChange | undefined) =>
    one.path === other?.path && sameBytes(one.before, other.before) && sameBytes(one.after, other.after);
  return (
    planned.files.length === asked.files.length &&
    planned.moves.length === asked.moves.length &&
    planned.files.every((file, index) => sameFile(file, asked.files[index])) &&
    planned.moves.every(
      ({ from, stamp }, index) => from === asked.moves[index]?.from && stamp === asked.moves[index].stamp,
    )
  );
}

/** The change that takes a version back. @throws E_CONFLICT naming what has changed since */
async function inverse(
  undone: VersionRecord,
  made: Pick<VersionRecord, "by" | "at" | "number">,
  { root, versions }: { readonly root: string; readonly versions: VersionStore },
): Promise<VersionRecord> {
  const id = idOf(undone);
  const clash = undone.files.find(({ path, after }) => !sameBytes(skillFileAt(root, path), after));
  const moved = undone.moves.find(({ to }) => dirStampOf(root, to) === "");
  const wrong = clash?.path ?? moved?.to;
  if (wrong !== undefined) {
    const later = versions.list(undone.name).filter((one) => one.at >= undone.at && one.id !== id);
    const redone = later.find((one) => one.undoes === id);
    throw new AppError("E_CONFLICT", `skills/${wrong} has changed since ${id}: nothing is written`, {
      path: wrong,
      hint:
        redone !== undefined
          ? `${id} was undone by ${redone.id}`
          : later[0] === undefined
            ? "it was edited outside of the program; put the text back as it was, or change it by hand"
            : `undo ${later[0].id} first`,
    });
  }
  const files = undone.files.map(({ path, before, after }) => ({ path, before: after, after: before }));
  const moves = undone.moves.toReversed().map(({ from, to }) => ({ from: to, to: from, stamp: dirStampOf(root, to) }));
  return {
    ...made,
    name: undone.name,
    names: undone.names,
    summary: `undo ${id}: ${undone.summary}`,
    undoes: id,
    diff: await diffOf(files, moves),
    files,
    moves,
    uses: undone.uses.toReversed().map(({ name, before, after }) => ({ name, before: after, after: before })),
    patched: undone.patched,
  };
}
