/** The board as tools see it. In a worker every call carries its claim to the owner; in a chat session the actor is the session's profile. */
export interface BoardPort {
  /** Current task of a worker; undefined in a chat session. */
  readonly task: string | undefined;
  /** Call a board tool method (`show`, `complete`, ...) with the tool's own parameters. @throws AppError */
  call(method: BoardToolMethod, params: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

export type BoardToolMethod =
  | "show"
  | "list"
  | "complete"
  | "block"
  | "heartbeat"
  | "comment"
  | "create"
  | "unblock"
  | "link";
