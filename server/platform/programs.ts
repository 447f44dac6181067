import { execFile } from 'node:child_process'
import { access, constants, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** `path` is absolute and no link. `fault`: why there is none, as the second half of a sentence about the name. */
export type FoundProgram = { path: string } | { fault: string }

/**
 * Finds a program once, by name in the folders of PATH or by its place, so that nobody has to look for it again in another folder or
 * with another PATH. Relative and empty entries of PATH are passed over: what lies in the working folder is nobody's program.
 */
export async function findProgram(name: string): Promise<FoundProgram> {
  const isPlace = name.includes('/') || name.includes(path.sep)
  const folders = isPlace ? [''] : (process.env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute)
  const endings = process.platform === 'win32' ? ['', '.exe'] : ['']
  let fault = 'is in no folder of PATH'
  for (const place of folders.flatMap((folder) => endings.map((end) => path.resolve(folder, name + end)))) {
    const found = await faultOf(place)
    if (found === undefined) return { path: await realpath(place) }
    if (isPlace) fault = found
  }
  return { fault }
}

async function faultOf(place: string): Promise<string | undefined> {
  const known = await stat(place).catch(() => undefined)
  if (!known) return 'is not there'
  if (known.isDirectory()) return 'is a folder, and the program in it has to be named'
  if (!known.isFile()) return 'is no file'
  const mayRun = access(place, constants.X_OK).then(
    () => true,
    () => false,
  )
  return (await mayRun) ? undefined : 'may not be run by the user of this server'
}

const patienceMs = 5_000

/** Files that a program needs to begin, as the system's loader finds them from here; none of a script. */
export async function librariesOf(program: string): Promise<string[]> {
  const ldd = await findProgram('ldd')
  if ('fault' in ldd) return []
  const asked = promisify(execFile)(ldd.path, [program], { timeout: patienceMs, killSignal: 'SIGKILL' })
  const output = await asked.then(
    ({ stdout }) => stdout,
    () => '',
  )
  return [...output.matchAll(/(?:^\s*|=> )(\/.*?)(?= \(0x| =>)/gm)].map(([, file = '']) => file)
}

/** Ends all processes of the group, whether or not the one that leads it has ended. */
export function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // The group is empty: nothing was left behind.
  }
}
