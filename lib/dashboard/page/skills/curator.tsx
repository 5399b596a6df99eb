import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { DiffText } from "../shell/diff-text.js";
import { formatRelativeTime } from "../words/time.js";

/** `GET /api/curator`. Instants are ISO text. */
interface Status {
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly running: boolean;
  readonly apply: "auto" | "ask";
  readonly last_run_at: string | null;
  readonly last_run_summary: string | null;
  readonly last_report: string | null;
  readonly next_run_at: string | null;
  readonly skills: readonly { readonly state: string }[];
  readonly archived: number;
  readonly backups: number;
}

interface Change {
  readonly n: number;
  readonly kind: string;
  readonly skill: string;
  readonly why: string;
  readonly status: "proposed" | "applying" | "applied" | "undoing" | "undone" | "refused" | "failed";
  readonly note: string;
  readonly diff: string;
}

/** `GET /api/curator/runs/:run`. */
interface Run {
  readonly id: string;
  readonly summary: string;
  readonly changes: readonly Change[];
}

const LOOKS: Readonly<Partial<Record<Change["status"], string>>> = {
  applied: "chip-good",
  proposed: "chip-warn",
  refused: "chip-bad",
  failed: "chip-bad",
};

/** What looks after the skills that the agent has written: how it stands, and each change of its newest run with a way back. */
export function Curator({ looked, changed }: { looked: number; changed: () => void }) {
  const { api, failed, tell } = useServices();
  const [status, setStatus] = useState<Status | undefined>(undefined);
  const [run, setRun] = useState<Run | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const read = async (): Promise<void> => {
      const now = await api.get<Status>("api/curator");
      setStatus(now);
      setRun(now.last_report === null ? undefined : await api.get<Run>(runAt(now.last_report)));
    };
    read().catch(failed);
  }, [api, failed, looked]);
  if (status === undefined) return null;
  const act = (path: string, done: string, body?: unknown) => (): void => {
    setBusy(true);
    api
      .send("POST", path, body)
      .then(() => tell("done", done), failed)
      .finally(() => {
        setBusy(false);
        changed();
      });
  };
  return (
    <section class="panel" aria-label="Curator">
      <h2>Curator</h2>
      <p>{factsOf(status).join(" · ")}</p>
      <div class="buttons">
        <button
          type="button"
          class="small"
          disabled={busy}
          onClick={
            status.paused
              ? act("api/curator/resume", "The curator runs by itself again.")
              : act("api/curator/pause", "The curator is paused.")
          }
        >
          {status.paused ? "Resume" : "Pause"}
        </button>
        <button
          type="button"
          class="small"
          disabled={busy || status.running}
          onClick={act("api/curator/run", "The curator looks at the skills; nothing will be changed.", {
            dry_run: true,
          })}
        >
          Dry run
        </button>
        <button
          type="button"
          class="small"
          disabled={busy || status.running}
          onClick={act("api/curator/run", "The curator was started.", { dry_run: false })}
        >
          Run now
        </button>
      </div>
      {run !== undefined && (
        <>
          <h3>Newest run</h3>
          <p class="soft">{run.summary}</p>
          <ul class="rows checks skills">
            {run.changes.map((change) => (
              <ChangeRow key={change.n} change={change} at={runAt(`${run.id}:${change.n}`)} busy={busy} act={act} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const runAt = (id: string): string => `api/curator/runs/${encodeURIComponent(id)}`;

function ChangeRow({
  change,
  at,
  busy,
  act,
}: {
  change: Change;
  at: string;
  busy: boolean;
  act: (path: string, done: string) => () => void;
}) {
  const { kind, skill, why, status, note, diff } = change;
  return (
    <li class="row" aria-label={`${kind} ${skill}`}>
      <span class={`chip ${LOOKS[status] ?? ""}`}>{status}</span>
      <div class="grow">
        <strong>
          {kind} {skill}
        </strong>{" "}
        <span class="soft">{why}</span>
        {note !== "" && <p class="problem">{note}</p>}
        {diff !== "" && (
          <details>
            <summary>Difference</summary>
            <DiffText text={diff} />
          </details>
        )}
      </div>
      <div class="buttons">
        {status === "proposed" && (
          <button type="button" class="small" disabled={busy} onClick={act(`${at}/apply`, "Applied.")}>
            Apply
          </button>
        )}
        {status === "applied" && (
          <button type="button" class="small" disabled={busy} onClick={act(`${at}/undo`, "Reverted.")}>
            Undo
          </button>
        )}
      </div>
    </li>
  );
}

function factsOf(status: Status): readonly string[] {
  const now = Date.now() / 1000;
  const count = status.skills.length;
  return [
    status.running ? "running" : !status.enabled ? "off" : status.paused ? "paused" : "waiting",
    status.apply === "ask" ? "asks before it changes anything" : "applies its changes",
    count === 1 ? "looks after 1 skill" : `looks after ${count} skills`,
    `${status.archived} archived`,
    status.backups === 1 ? "1 backup" : `${status.backups} backups`,
    ...(status.last_run_at === null
      ? []
      : [`last run ${formatRelativeTime(Date.parse(status.last_run_at) / 1000, now)}`]),
    ...(status.next_run_at === null || status.paused || !status.enabled
      ? []
      : [`next run at the earliest ${formatRelativeTime(Date.parse(status.next_run_at) / 1000, now)}`]),
  ];
}
