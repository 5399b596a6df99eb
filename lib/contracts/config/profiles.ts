/** A profile as `profile show` and `profile list --json` tell it. */
export interface ProfileRecord {
  readonly name: string;
  readonly path: string;
  readonly is_default: boolean;
  /** It is the profile of the caller. */
  readonly is_current: boolean;
  readonly owner_running: boolean;
  readonly gateway_running: boolean;
  readonly model: string | null;
  readonly provider: string | null;
  readonly has_env: boolean;
  readonly skill_count: number;
  /** Names of its skills, sorted. */
  readonly skills: readonly string[];
  readonly alias_path: string | null;
  /** Empty: not described yet. */
  readonly description: string;
  /** It was generated, so generating may replace it. */
  readonly description_auto: boolean;
  readonly distribution: Readonly<Record<string, unknown>> | null;
}

export interface NewProfile {
  readonly name: string;
  readonly description?: string | undefined;
  /** Profile whose settings, secrets, character and memories are copied. */
  readonly cloneFrom?: string | undefined;
}

/** What became of describing one profile. */
export interface DescribeOutcome {
  readonly profile: string;
  readonly ok: boolean;
  readonly reason: string;
  /** The description in force afterwards. */
  readonly description: string;
  readonly description_auto: boolean;
}

/** The profiles of a root. `current` is the caller's. */
export interface ProfilesApi {
  list(current: string): Promise<readonly ProfileRecord[]>;
  /** @throws E_NOT_FOUND */
  show(name: string, current: string): Promise<ProfileRecord>;
  /** Make a profile, wholly or not at all. @throws E_USAGE for a name that cannot be one, E_CONFLICT when it exists, E_NOT_FOUND for a missing source */
  create(params: NewProfile, current: string): Promise<ProfileRecord>;
  /** Store a description written by a person; blank clears it. @throws E_NOT_FOUND */
  setDescription(name: string, text: string): Promise<DescribeOutcome>;
  /** Let a model describe a profile. Failures are outcomes. @throws E_NOT_FOUND */
  generateDescription(name: string, options: { readonly overwrite: boolean }): Promise<DescribeOutcome>;
}
