/** Those of the variables that have a value. */
export const setVariables = (
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])));
