/**
 * Every error that a user or a client can meet. The table gives each surface its form: HTTP status, exit status, whether the same call may
 * work later, and what to do. A code means one thing for ever.
 */
export const ERRORS = {
  E_USAGE: { http: 400, exit: 2, retry: false, hint: "agent <command> --help shows the options" },
  E_INVALID: { http: 400, exit: 1, retry: false, hint: "change the value and repeat the command" },
  E_INVALID_PARAMS: { http: 422, exit: 2, retry: false, hint: "the message names the field" },
  E_UNKNOWN_METHOD: { http: 404, exit: 2, retry: false, hint: "agent help protocol --json lists the methods" },
  E_NOT_FOUND: {
    http: 404,
    exit: 1,
    retry: false,
    hint: "agent kanban list and agent sessions list show existing ids",
  },
  E_AMBIGUOUS: { http: 400, exit: 1, retry: false, hint: "use more characters of the id" },
  E_STATE: { http: 409, exit: 1, retry: false, hint: "agent kanban show <id> shows the status" },
  E_RUNNING: { http: 409, exit: 1, retry: false, hint: "block or archive the task first, or wait for its worker" },
  E_PARENTS_OPEN: { http: 409, exit: 1, retry: false, hint: "complete the parents, or use --force" },
  E_CHILD_RUNNING: { http: 409, exit: 1, retry: false, hint: "wait for the child, or use --force" },
  E_SELF_LINK: { http: 400, exit: 1, retry: false, hint: "name two different tasks" },
  E_CYCLE: { http: 400, exit: 1, retry: false, hint: "agent kanban show <id> lists the links" },
  E_CLAIM_LOST: { http: 409, exit: 1, retry: false, hint: "the task belongs to another run now; stop working" },
  E_NOT_OWNER: { http: 403, exit: 1, retry: false, hint: "comment on the task instead" },
  E_WORKER_STUCK: { http: 409, exit: 1, retry: true, hint: "kill the named process manually" },
  E_CONFLICT: { http: 409, exit: 1, retry: false, hint: "reload the record, then retry" },
  E_BAD_BOARD: { http: 400, exit: 2, retry: false, hint: "use lowercase letters, digits, - and _" },
  E_BOARD_NOT_FOUND: { http: 404, exit: 1, retry: false, hint: "agent kanban boards create <slug> creates it" },
  E_BOARD_BUSY: { http: 409, exit: 1, retry: false, hint: "use --force to stop its workers" },
  E_PHANTOM_CARDS: { http: 400, exit: 1, retry: false, hint: "use tasks created in this conversation only" },
  E_TOO_LARGE: { http: 413, exit: 1, retry: false, hint: "reduce its size" },
  E_WORKSPACE: { http: 400, exit: 1, retry: false, hint: "agent help kanban explains workspaces" },
  E_FORBIDDEN: { http: 403, exit: 1, retry: false, hint: "ask someone with permission" },
  E_DENIED: { http: 403, exit: 3, retry: false, hint: "allow it with --allow, or in permissions.yaml" },
  E_STORE: { http: 503, exit: 1, retry: false, hint: "agent doctor shows the problem; nothing was changed" },
  E_STORE_FULL: { http: 507, exit: 1, retry: true, hint: "free disk space, then repeat the command" },
  E_HOME: { http: 503, exit: 78, retry: false, hint: "the home must be owned by you and writable only by you" },
  E_OWNER: { http: 503, exit: 1, retry: true, hint: "agent status shows the owner" },
  E_OWNER_LOST: {
    http: 503,
    exit: 1,
    retry: true,
    hint: "the outcome is unknown: check before repeating the command",
  },
  E_OUTCOME_UNKNOWN: { http: 409, exit: 1, retry: false, hint: "check whether it happened before repeating it" },
  E_OWNER_RUNNING: { http: 409, exit: 1, retry: false, hint: "agent attaches to it; agent owner stop stops it" },
  E_ALREADY_RESOLVED: { http: 409, exit: 1, retry: false, hint: "it has already been answered" },
  E_BUSY: { http: 429, exit: 1, retry: true, hint: "wait, then retry" },
  E_AUTH: { http: 401, exit: 1, retry: false, hint: "the token is in the owner's private directory" },
  E_RATE_LIMIT: {
    http: 429,
    exit: 1,
    retry: true,
    hint: "wait until that time, or add another credential (agent help auth)",
  },
  E_CONFIG: { http: 400, exit: 1, retry: false, hint: "agent config check lists all problems" },
  E_MODEL: {
    http: 502,
    exit: 1,
    retry: true,
    hint: "agent doctor checks the provider; agent config set model.provider offline works without one",
  },
  E_INTERRUPTED: { http: 499, exit: 130, retry: true, hint: "confirmed work is not lost" },
  E_INTERNAL: { http: 500, exit: 1, retry: false, hint: "see logs/errors.log in the home" },
} as const satisfies Record<`E_${string}`, { http: number; exit: number; retry: boolean; hint: string }>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorFacts = Readonly<Record<string, unknown>>;

/** The only error that crosses a module border. `data` holds ids and numbers for machines, never a secret. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly data: ErrorFacts;
  constructor(code: ErrorCode, message: string, data: ErrorFacts = {}, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.data = data;
  }
  get hint(): string {
    const own = this.data["hint"];
    return typeof own === "string" ? own : ERRORS[this.code].hint;
  }
}

/**
 * A name of a session, model, checkpoint or credential that fits several: wrong usage (core part, 15.2). Ids of tasks, names of jobs and
 * targets of messages have the exit code of `E_AMBIGUOUS` itself, which the board and gateway parts give.
 */
export const ambiguousName = (message: string, data: ErrorFacts): AppError =>
  new AppError("E_AMBIGUOUS", message, { ...data, exit: 2 });

/** Form of an error on every wire and under `--json`. */
export interface WireError {
  code: ErrorCode;
  message: string;
  hint: string;
  data?: ErrorFacts;
}

/** File system errors that the user can resolve. */
const REFUSED: Readonly<Record<string, { readonly code: ErrorCode; readonly why: string }>> = {
  EACCES: { code: "E_STORE", why: "permission denied" },
  EPERM: { code: "E_STORE", why: "not permitted" },
  EROFS: { code: "E_STORE", why: "the file system is read-only" },
  ENOSPC: { code: "E_STORE_FULL", why: "the disk is full" },
  EDQUOT: { code: "E_STORE_FULL", why: "the disk quota is exceeded" },
};

/** Give any thrown value the one form. What is neither an `AppError` nor a refusal of the file system is a defect of ours and says so. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const refused = REFUSED[systemCode(thrown) ?? ""];
  const path: unknown = refused && thrown instanceof Error ? Reflect.get(thrown, "path") : undefined;
  if (refused && typeof path === "string")
    return new AppError(refused.code, `${path}: ${refused.why}`, { path }, thrown);
  // A write to an open file names no path; a watcher fails with the same code where there are too many.
  if (refused?.code === "E_STORE_FULL" && thrown instanceof Error && Reflect.get(thrown, "syscall") !== "watch")
    return new AppError(refused.code, refused.why, {}, thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("E_INTERNAL", message, {}, thrown);
}

/**
 * A failure of the file system, said of the file that was meant: the system names the draft beside it, or, when a write finds no room, nothing. Anything
 * else stays as it is.
 */
export function failedAt(path: string, thrown: unknown): unknown {
  const code = systemCode(thrown);
  if (thrown instanceof AppError || code === undefined) return thrown;
  return Object.assign(new Error(`${path}: ${REFUSED[code]?.why ?? code}`, { cause: thrown }), { code, path });
}

export function toWireError(thrown: unknown): WireError {
  const error = toAppError(thrown);
  const { hint: _hint, ...data } = error.data;
  return {
    code: error.code,
    message: error.message,
    hint: error.hint,
    ...(Object.keys(data).length > 0 ? { data } : {}),
  };
}

/** Make the error that came over a wire throwable again. An unknown code becomes `E_INTERNAL` and keeps its text. */
export function fromWireError(error: {
  code: string;
  message: string;
  hint?: string | undefined;
  data?: ErrorFacts | undefined;
}): AppError {
  const known = error.code in ERRORS ? (error.code as ErrorCode) : "E_INTERNAL"; // `in` proves the membership
  return new AppError(known, error.message, {
    ...error.data,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

/** A broken assumption. Half-known state is worse than an end: the process stops and the store recovers. */
export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${why}`);
}

export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** Code of a Node system error (`ENOENT`), or undefined. */
export function systemCode(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** Exit code of a command that ended with this error; a command may give its own in `data.exit`. */
export function exitCodeOf(error: AppError): number {
  const own = error.data["exit"];
  return typeof own === "number" ? own : ERRORS[error.code].exit;
}
