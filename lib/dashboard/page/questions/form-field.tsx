import { useId } from "preact/hooks";
import type { FormField } from "../../../contracts/chat/form.js";
import { fieldHint } from "../../../contracts/chat/form-text.js";

interface FieldProps {
  field: FormField;
  value: string | readonly string[];
  fault: string | undefined;
  change(value: string | readonly string[]): void;
  /** The field was left: it can be checked. */
  left(): void;
}

/** One field with its label, what may be given, and what is wrong with what it holds. */
export function FormFieldInput({ field, value, fault, change, left }: FieldProps) {
  const id = useId();
  const { label, required, description, type } = field;
  const hint = [description ?? "", type === "text" || type === "number" || type === "integer" ? fieldHint(field) : ""];
  const help = hint.filter((part) => part !== "").join(" · ");
  const told = `${help === "" ? "" : `${id}-help`} ${fault === undefined ? "" : `${id}-fault`}`.trim();
  const common = {
    id,
    "data-field": field.name,
    "aria-required": required,
    "aria-invalid": fault !== undefined,
    ...(told === "" ? {} : { "aria-describedby": told }),
    onBlur: left,
  };
  const notes = (
    <>
      {help !== "" && (
        <p id={`${id}-help`} class="soft">
          {help}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} class="fault" role="alert">
          {fault}
        </p>
      )}
    </>
  );
  const name = required ? `${label} *` : label;
  if (type === "choices")
    return (
      <fieldset class="field" aria-describedby={told === "" ? undefined : told}>
        <legend>{name}</legend>
        {(field.choices ?? []).map((choice, at) => (
          <label key={choice.value}>
            <input
              type="checkbox"
              data-field={at === 0 ? field.name : undefined}
              checked={value.includes(choice.value)}
              onChange={(event) => change(withChoice(value, choice.value, event.currentTarget.checked))}
            />{" "}
            {choice.label}
          </label>
        ))}
        {notes}
      </fieldset>
    );
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {type === "choice" || type === "boolean" ? (
        <select {...common} value={String(value)} onChange={(event) => change(event.currentTarget.value)}>
          <option value="">–</option>
          {optionsOf(field).map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          autoComplete="off"
          value={String(value)}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
      {notes}
    </div>
  );
}

const YES_NO = [
  { value: "yes", label: "yes" },
  { value: "no", label: "no" },
];
const optionsOf = ({ type, choices = [] }: FormField) => (type === "boolean" ? YES_NO : choices);

function withChoice(value: string | readonly string[], choice: string, chosen: boolean): readonly string[] {
  const before = typeof value === "string" ? [] : value.filter((one) => one !== choice);
  return chosen ? [...before, choice] : before;
}
