/** Row of `GET /api/sessions`. */
export interface SessionListRow {
  readonly id: string;
  readonly source: string;
  readonly profile: string;
  readonly model: string;
  readonly provider: string;
  readonly title: string | null;
  readonly cwd: string;
  /** ISO 8601. */
  readonly last_active_at: string;
  readonly ended_at: string | null;
  readonly message_count: number;
  readonly estimated_cost_usd: number | null;
  readonly archived: boolean;
  readonly preview: string;
}

/** Row of `GET /api/sessions/search`. */
export interface SearchHitRow {
  readonly session_id: string;
  readonly message_id: number;
  readonly role: string;
  readonly snippet: string;
  readonly at: string;
}

/** What a session is called: its title, else what it began with. */
export const toSessionName = ({ title, preview, id }: Pick<SessionListRow, "title" | "preview" | "id">): string =>
  title ?? (preview === "" ? id : preview);
