/** To a process that is known: a signal to number 0 would reach everything that runs the tests. */
export function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  process.kill(known(pid), signal)
}

/** To a process and its whole group. */
export function sendSignalToGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  process.kill(-known(pid), signal)
}

function known(pid: number | undefined): number {
  if (pid === undefined || !(pid > 1)) throw new Error(`there is no process for a signal, but ${pid}`)
  return pid
}
