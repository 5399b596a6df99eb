import { choicesOf } from "./edited.js";
import type { SettingKey } from "./types.js";

interface ControlProps {
  setting: SettingKey;
  text: string;
  change(text: string): void;
}

interface ChoiceProps extends ControlProps {
  disabled: boolean;
  describedBy: string;
}

/** The list of a setting that takes one of a few values. */
export function SettingChoice({ setting, text, change, disabled, describedBy }: ChoiceProps) {
  const given = choicesOf(setting) ?? [];
  const choices = given.includes(text) ? given : [text, ...given];
  return (
    <select
      aria-label={setting.key}
      aria-describedby={describedBy}
      disabled={disabled}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {choices.map((value) => (
        <option key={value} value={value}>
          {value === "" ? "not set" : value}
        </option>
      ))}
    </select>
  );
}

/** The field of a setting with a free value. */
export function SettingControl({ setting: { key, type, secret }, text, change }: ControlProps) {
  if (type === "strings" || type === "any")
    return (
      <>
        <textarea
          class="mono"
          aria-label={key}
          rows={5}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <p class="hint">{type === "strings" ? "One per line." : "JSON."}</p>
      </>
    );
  const common = { "aria-label": key, autoComplete: "off", value: text } as const;
  if (secret) return <input {...common} type="password" onInput={(event) => change(event.currentTarget.value)} />;
  return <input {...common} type="text" onInput={(event) => change(event.currentTarget.value)} />;
}
