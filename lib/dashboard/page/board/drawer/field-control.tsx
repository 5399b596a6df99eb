import { useId } from "preact/hooks";
import { useBoardState } from "../board-context.js";
import type { FieldRow } from "./fields.js";

interface ControlProps {
  row: FieldRow;
  text: string;
  change(text: string): void;
}

/** What a field is filled in with. */
export function FieldControl({ row, text, change }: ControlProps) {
  const label = row.label;
  if (row.kind === "flag")
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={text === "true"}
          onChange={(event) => change(String(event.currentTarget.checked))}
        />{" "}
        {label}
      </label>
    );
  if (row.kind === "choice")
    return (
      <select aria-label={label} value={text} onChange={(event) => change(event.currentTarget.value)}>
        {(row.options ?? []).map(({ value, label: words }) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    );
  if (row.kind === "markdown" || row.kind === "json")
    return (
      <textarea
        aria-label={label}
        class={row.kind === "json" ? "mono" : undefined}
        rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
    );
  return <LineControl row={row} text={text} change={change} />;
}

function LineControl({ row, text, change }: ControlProps) {
  const names = useBoardState(({ assignees }) => assignees);
  const list = useId();
  const type = row.kind === "number" ? "number" : row.kind === "time" ? "datetime-local" : "text";
  return (
    <>
      <input
        aria-label={row.label}
        type={type}
        value={text}
        autoComplete="off"
        list={row.roster ? list : undefined}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {row.roster && (
        <datalist id={list}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}
