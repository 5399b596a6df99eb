/** Place from which polling goes on, and the newest right to write to each person: both in one value, so that they are stored in one commit. */
export interface Stand {
  readonly buf: string;
  /** Newest last. */
  readonly tokens: readonly (readonly [user: string, token: string])[];
}

const USERS = 500;

const NOWHERE: Stand = { buf: "", tokens: [] };

/** What was stored; what cannot be read starts over. */
export function standOf(text: string | undefined): Stand {
  try {
    const read: unknown = JSON.parse(text ?? "");
    if (typeof read !== "object" || read === null || !("buf" in read) || typeof read.buf !== "string") return NOWHERE;
    const tokens = "tokens" in read && Array.isArray(read.tokens) ? read.tokens : [];
    return {
      buf: read.buf,
      tokens: tokens
        .filter((one) => Array.isArray(one) && one.length === 2)
        .map(([user, token]) => [String(user), String(token)]),
    };
  } catch {
    return NOWHERE; // nothing is stored yet
  }
}

/** Those that came now are the newest. The oldest are forgotten. */
export function withTokens(stand: Stand, buf: string, fresh: readonly (readonly [string, string])[]): Stand {
  const tokens = new Map(stand.tokens);
  for (const [user, token] of fresh) {
    tokens.delete(user);
    tokens.set(user, token);
  }
  return { buf, tokens: [...tokens].slice(-USERS) };
}
