import type { SettingKey } from "./types.js";

interface ControlProps {
  setting: SettingKey;
  text: string;
  change(text: string): void;
}

/** The field of a setting. */
export function SettingControl({ setting: { key, type, of, secret }, text, change }: ControlProps) {
  if (type === "boolean" || type === "choice")
    return (
      <select aria-label={key} value={text} onChange={(event) => change(event.currentTarget.value)}>
        {(of ?? ["true", "false"]).map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    );
  if (type === "strings" || type === "any")
    return (
      <>
        <textarea class="mono" aria-label={key} rows={5} value={text} onInput={(event) => change(event.currentTarget.value)} />
        <p class="hint">{type === "strings" ? "One in each line." : "JSON."}</p>
      </>
    );
  const common = { "aria-label": key, autoComplete: "off", value: text } as const;
  if (secret) return <input {...common} type="password" onInput={(event) => change(event.currentTarget.value)} />;
  return <input {...common} type="text" onInput={(event) => change(event.currentTarget.value)} />;
}
