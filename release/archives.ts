import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { packFile, sizes, type Size } from './pack.ts'
import { git, versionOf } from './ready.ts'
import { stage, type Cpu } from './stage.ts'

export type Archive = { cpu: Cpu; file: string; bytes: number; sizes: Size[] }

type Wanted = { root: string; into: string; cpus: Cpu[]; measured: boolean }

/** Makes an archive for each processor, its bill of materials beside it, in a folder that is emptied first. */
export async function makeArchives({ root, into, cpus, measured }: Wanted): Promise<Archive[]> {
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into, { recursive: true })
  const time = git(root, 'log', '-1', '--format=%ct')
  const made: Archive[] = []
  for (const cpu of cpus) {
    const name = `sendreel-${versionOf(root)}-linux-${cpu}`
    const base = mkdtempSync(path.join(os.tmpdir(), 'sendreel-release-'))
    try {
      const folder = path.join(base, name)
      mkdirSync(folder)
      stage(root, folder, cpu)
      const file = path.join(into, `${name}.tar.gz`)
      await packFile({ base, names: [name], time }, file)
      copyFileSync(path.join(folder, 'sbom.cdx.json'), path.join(into, `${name}.cdx.json`))
      const parts = measured ? await sizes(folder, time) : []
      made.push({ cpu, file, bytes: statSync(file).size, sizes: parts })
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  }
  return made
}
