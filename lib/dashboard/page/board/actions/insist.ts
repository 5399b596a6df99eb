import { ApiError } from "../../net/api.js";
import type { Dialogs } from "../../state/dialogs.js";

type Change = Readonly<Record<string, unknown>>;

interface Way {
  readonly confirm: string;
  readonly over: Change;
  readonly danger: boolean;
}

/** What can be insisted on, by the code of its refusal. */
const WAYS: Readonly<Record<string, Way>> = {
  E_PARENTS_OPEN: { confirm: "Continue without them", over: { force: true }, danger: false },
  E_CHILD_RUNNING: { confirm: "Stop them and continue", over: { force: true }, danger: true },
  E_CONFLICT: { confirm: "Move anyway", over: { expected_status: undefined }, danger: false },
};

/** A change of a task, and how the person is asked about it. */
interface Wish<T> {
  readonly dialogs: Pick<Dialogs, "confirm">;
  readonly title: string;
  readonly change: Change;
  send(change: Change): Promise<T>;
}

/** Make a change. Where unsettled parents, a running child or another hand stand against it, the person decides; undefined: called off. */
export async function changeWithConsent<T>({ dialogs, title, change, send }: Wish<T>): Promise<T | undefined> {
  try {
    return await send(change);
  } catch (error) {
    const way = wayAround(error, change);
    if (way === undefined || !(error instanceof Error)) throw error;
    const { confirm, danger, over } = way;
    if (!(await dialogs.confirm({ title, text: sentence(error.message), confirm, danger }))) return undefined;
    return changeWithConsent({ dialogs, title, change: { ...change, ...over }, send });
  }
}

/** None where it is gone already: what was refused in spite of it stands. */
function wayAround(error: unknown, change: Change): Way | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const way = WAYS[error.code ?? ""];
  if (way === undefined || error.status === 412) return undefined;
  const gone = "force" in way.over ? change["force"] === true : change["expected_status"] === undefined;
  return gone ? undefined : way;
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
