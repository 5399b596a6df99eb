const PASSED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TERM|SHELL|TMPDIR|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|CODEX_HOME|AGENT_HOME|AGENT_WORKER_MARK)$/;
const PROXY = /^(https?|all|no)_proxy$/i;

/** Whether every program of another maker gets the variable (extensions part, 8.2). */
export const isPassed = (name: string): boolean => PASSED.test(name) || PROXY.test(name);
