/** A question of a conversation that is not shown was asked or closed. */
export interface AskedElsewhere {
  readonly type: "askedElsewhere";
  readonly session: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const TOLD = /^(approval|clarify|form|password|secret)\.(requested|resolved)$/;

/** What an event of another conversation tells this screen; undefined: nothing. */
export function toElsewhere(
  session: string | undefined,
  event: string,
  data: AskedElsewhere["data"],
): AskedElsewhere | undefined {
  return session !== undefined && TOLD.test(event) ? { type: "askedElsewhere", session, event, data } : undefined;
}
