/** A name that git takes for a branch: the rules of `git check-ref-format --branch`. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || name === "HEAD" || name.startsWith("-")) return false;
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$|^\//.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/** One that needs no escaping anywhere. */
export const isPlainBranchName = (name: string): boolean => /^[A-Za-z0-9_][\w./+#-]*$/.test(name) && isBranchName(name);
