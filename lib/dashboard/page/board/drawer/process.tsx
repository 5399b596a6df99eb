import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { size } from "../../words/amounts.js";
import { useBoard } from "../board-context.js";

/** `GET /runs/:id/inspect`. */
type Inspected =
  | { readonly alive: false; readonly reason: string }
  | {
      readonly alive: true;
      readonly pid: number;
      readonly cpu_percent: number | null;
      readonly memory_rss_bytes: number | null;
      readonly num_threads: number | null;
      readonly status: string | null;
      readonly cmdline: readonly string[];
    };

/** The process of a worker as the system shows it, looked at when asked for. */
export function Process({ run }: { run: number }) {
  const board = useBoard();
  const { failed } = useServices();
  const [seen, setSeen] = useState<Inspected | undefined>(undefined);
  const look = (): void => {
    board.get<Inspected>(`/runs/${run}/inspect`).then(setSeen, failed);
  };
  return (
    <>
      <button type="button" class="small" onClick={look}>
        {seen === undefined ? "Look at its process" : "Look again"}
      </button>
      {seen !== undefined && <p class="soft process">{seen.alive ? aliveLine(seen) : seen.reason}</p>}
    </>
  );
}

function aliveLine(seen: Extract<Inspected, { alive: true }>): string {
  const facts = [
    `process ${seen.pid}`,
    seen.status,
    seen.cpu_percent === null ? null : `${seen.cpu_percent} % of a processor`,
    seen.memory_rss_bytes === null ? null : size(seen.memory_rss_bytes),
    seen.num_threads === null ? null : `${seen.num_threads} threads`,
    seen.cmdline.join(" "),
  ];
  return facts.filter((fact) => fact !== null && fact !== "").join(" · ");
}
