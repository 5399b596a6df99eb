import { FieldLine } from "./field-line.js";
import { OUTCOME } from "./fields.js";
import { TextField } from "./text-field.js";

const isLong = (kind: string): boolean => kind === "markdown" || kind === "json";

/** What a finished task has left behind. */
export function Outcome() {
  return (
    <>
      <dl class="properties">
        {OUTCOME.filter(({ kind }) => !isLong(kind)).map((row) => (
          <FieldLine key={row.key} row={row} />
        ))}
      </dl>
      {OUTCOME.filter(({ kind }) => isLong(kind)).map((row) => (
        <TextField key={row.key} row={row} />
      ))}
    </>
  );
}
