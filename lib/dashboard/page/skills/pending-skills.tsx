import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { DiffText } from "../shell/diff-text.js";
import { formatRelativeTime } from "../words/time.js";

/** A row of `GET /api/skills/pending`. */
interface Pending {
  readonly id: string;
  readonly summary: string;
  readonly by: "agent" | "curator" | "user";
  /** ISO text. */
  readonly at: string;
  readonly diff: string;
  readonly verdict: "safe" | "caution" | "dangerous" | null;
  readonly findings: readonly {
    readonly rule: string;
    readonly file: string;
    readonly line: number;
    readonly text: string;
  }[];
}

const LOOKS = { safe: "chip-good", caution: "chip-warn", dangerous: "chip-bad" } as const;
const WRITERS = { agent: "the agent", curator: "the curator", user: "you" } as const;

/** Changes of skills that wait for a person, each with its whole difference. Nothing is shown where none waits. */
export function PendingSkills({ looked, decided }: { looked: number; decided: () => void }) {
  const { api, failed } = useServices();
  const [pending, setPending] = useState<readonly Pending[]>([]);
  useEffect(() => {
    api.get<{ pending: readonly Pending[] }>("api/skills/pending").then((told) => setPending(told.pending), failed);
  }, [api, failed, looked]);
  if (pending.length === 0) return null;
  return (
    <section class="panel" aria-label="Changes that wait for you">
      <h2>Changes that wait for you</h2>
      <ul class="rows checks skills">
        {pending.map((one) => (
          <PendingRow key={one.id} pending={one} decided={decided} />
        ))}
      </ul>
    </section>
  );
}

function PendingRow({ pending, decided }: { pending: Pending; decided: () => void }) {
  const { id, summary, by, at, diff, verdict, findings } = pending;
  const { api, failed, tell } = useServices();
  const [busy, setBusy] = useState(false);
  const decide = (verb: "approve" | "reject", done: string) => (): void => {
    setBusy(true);
    api
      .send("POST", `api/skills/pending/${encodeURIComponent(id)}/${verb}`)
      .then(() => tell("done", done), failed)
      .finally(() => {
        setBusy(false);
        decided();
      });
  };
  return (
    <li class="row" aria-label={summary}>
      {verdict !== null && <span class={`chip ${LOOKS[verdict]}`}>{verdict}</span>}
      <div class="grow">
        <strong>{summary}</strong>{" "}
        <span class="soft">
          {WRITERS[by]} · {formatRelativeTime(Date.parse(at) / 1000, Date.now() / 1000)}
        </span>
        {findings.map(({ rule, file, line, text }) => (
          <p key={`${rule} ${file} ${line}`} class="problem">
            {rule}, {file}:{line}: {text}
          </p>
        ))}
        <details open>
          <summary>Difference</summary>
          <DiffText text={diff} />
        </details>
      </div>
      <div class="buttons">
        <button type="button" class="small primary" disabled={busy} onClick={decide("approve", "Applied.")}>
          Approve
        </button>
        <button type="button" class="small" disabled={busy} onClick={decide("reject", "Discarded.")}>
          Reject
        </button>
      </div>
    </li>
  );
}
