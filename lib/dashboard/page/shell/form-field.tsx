import { useId } from "preact/hooks";
import type { Field } from "../state/dialogs.js";

/** One labelled field of a form. */
export function FormField({ field, first }: { field: Field; first: boolean }) {
  const id = useId();
  const hint = field.hint === undefined ? undefined : `${id}-hint`;
  const common = {
    id,
    name: field.name,
    required: field.required ?? false,
    autofocus: first,
    "aria-describedby": hint,
  };
  if (field.kind === "check")
    return (
      <label class="check" for={id}>
        <input {...common} type="checkbox" value="true" defaultChecked={field.value === "true"} /> {field.label}
      </label>
    );
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <Control field={field} common={common} />
      {field.hint !== undefined && (
        <p class="hint" id={hint}>
          {field.hint}
        </p>
      )}
    </div>
  );
}

interface Common {
  id: string;
  name: string;
  required: boolean;
  autofocus: boolean;
  "aria-describedby": string | undefined;
}

const typeOf = (kind: Field["kind"]) => (kind === "number" ? "number" : kind === "time" ? "datetime-local" : "text");

function Control({ field, common }: { field: Field; common: Common }) {
  const value = field.value ?? "";
  if (field.kind === "text") return <textarea {...common} rows={4} defaultValue={value} />;
  if (field.kind === "choice")
    return (
      <select {...common} defaultValue={value}>
        {(field.options ?? []).map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  const offered = field.options === undefined ? undefined : `${common.id}-list`;
  return (
    <>
      <input {...common} type={typeOf(field.kind)} defaultValue={value} list={offered} autoComplete="off" />
      {offered !== undefined && (
        <datalist id={offered}>
          {field.options?.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}
