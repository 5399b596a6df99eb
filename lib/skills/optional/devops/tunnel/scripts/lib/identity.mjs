import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/**
 * What tells a process apart from a later one of the same pid: the boot and the time of its start.
 *
 * @param {number} pid
 * @returns {Promise<string | undefined>} undefined: no such process
 */
export async function identify(pid) {
  return process.platform === "linux" ? identifyOnLinux(pid) : identifyByPs(pid);
}

/** @param {number} pid */
async function identifyOnLinux(pid) {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name of the program comes second, in brackets, and may hold any sign; 20 fields behind it is the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const isEnded = fields[0] === "Z" || fields[0] === "X";
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    return isEnded ? undefined : `${boot} ${fields[19]}`;
  } catch {
    return undefined; // The directory of an ended process is gone.
  }
}

/** @param {number} pid */
async function identifyByPs(pid) {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], {
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined; // ps fails for a pid that does not exist.
  }
}
