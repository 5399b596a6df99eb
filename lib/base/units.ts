/** Instants and lengths carry their unit in the type's name; the compiler keeps identifiers of different kinds apart. */
export type EpochMs = number;
export type UnixSeconds = number;
export type Ms = number;

declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** `t_` and eight lowercase hex digits (board part, 2.2). */
export type TaskId = Brand<string, "TaskId">;
/** Row id of one attempt at a task. */
export type RunId = Brand<number, "RunId">;
/** `YYYYMMDD_HHMMSS_<6 hex>`, UTC (core part, 11.1). */
export type SessionId = Brand<string, "SessionId">;
/** `<session_id>:<n>`, n counts the turns of the session from 1. */
export type TurnId = Brand<string, "TurnId">;
/** Name of a board, `^[a-z0-9][a-z0-9_-]{0,63}$`. */
export type BoardSlug = Brand<string, "BoardSlug">;

export const toUnix = (at: EpochMs): UnixSeconds => Math.floor(at / 1000);
export const toIso = (at: EpochMs): string => new Date(at).toISOString();
