import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const deploy = path.resolve(import.meta.dirname, '../deploy')
const units = [
  { unit: 'sendreel.service', as: 'sendreel.service' },
  { unit: 'several/sendreel@.service', as: 'sendreel@api1.service' },
]
const analyze = '/usr/bin/systemd-analyze'
const isThere = existsSync(analyze)

test.runIf(isThere).each(units)(
  'systemd understands $unit, and finds it little exposed (needs systemd-analyze)',
  ({ unit, as }) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sendreel-service-'))
    const file = path.join(folder, as)
    const program = '/opt/sendreel/current/sendreel'
    const text = readFileSync(path.join(deploy, unit), 'utf8')
    expect(text).toContain(`ExecStart=${program}\n`)
    writeFileSync(file, text.replace(`ExecStart=${program}`, 'ExecStart=/bin/true'))
    const verified = spawnSync(analyze, ['verify', file], { encoding: 'utf8' })
    expect(verified.stderr).toBe('')
    expect(verified.status).toBe(0)
    const judged = spawnSync(analyze, ['security', '--offline=true', file], { encoding: 'utf8' })
    const [, exposure] = /Overall exposure level for sendreel.*\.service: ([\d.]+)/.exec(judged.stdout) ?? []
    // Said in docs/operating.md; 10 is a service without any restriction.
    expect(Number(exposure)).toBeLessThanOrEqual(2.7)
    rmSync(folder, { recursive: true })
  },
)
