import { AppError, ambiguousName } from "../base/errors.js";
import { type CheckpointHeader, isOnlyEnd } from "./records.js";
import type { CheckpointStore, Project } from "./store.js";

export interface Chosen {
  readonly project: Project;
  readonly header: CheckpointHeader;
}

/** Newest first with their numbers. The state after the last turn is not numbered: it is where the directory is. */
export function numberCheckpoints(
  project: Project,
): readonly { readonly header: CheckpointHeader; readonly n: number | null }[] {
  const newest = project.headers.toReversed();
  const first = newest[0];
  const from = first !== undefined && isOnlyEnd(first) ? 1 : 0;
  return newest.map((header, at) => ({ header, n: at < from ? null : at - from + 1 }));
}

/** A number in the list of `directory`, or an id of 4 to 8 hex digits; digits alone are a number when there is one. @throws E_NOT_FOUND, E_AMBIGUOUS */
export function choose(store: CheckpointStore, which: string, directory: string | undefined): Chosen {
  const project = directory === undefined ? undefined : store.projectOf(directory);
  const place =
    /^\d{1,6}$/.test(which) && project !== undefined
      ? numberCheckpoints(project).find(({ n }) => n === Number(which))
      : undefined;
  if (project !== undefined && place !== undefined) return { project, header: place.header };
  const found = /^[0-9a-fA-F]{4,8}$/.test(which) ? byId(store, which.toLowerCase()) : [];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined)
    throw ambiguousName(`${which} is ambiguous: ${found.map(({ header }) => header.id).join(", ")}`, {
      candidates: found.map(({ header }) => header.id),
    });
  const where = directory === undefined ? "" : ` of ${directory}`;
  throw new AppError("E_NOT_FOUND", `no such checkpoint: ${which}${where}`, {
    hint: "/rollback and agent checkpoints list list checkpoints",
  });
}

const byId = (store: CheckpointStore, beginning: string): readonly Chosen[] =>
  store
    .projects()
    .flatMap((project) =>
      project.headers.filter(({ id }) => id.startsWith(beginning)).map((header) => ({ project, header })),
    );
