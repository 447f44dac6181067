import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Finding } from '#contract/doctor/doctor.ts'
import { openFolder } from './processes/process.ts'
import { startTestServer } from './server.ts'

type DoctorRun = { code: number; output: string; findings: Finding[] }

/** The command as its user types it. */
export async function askDoctor(environment: Record<string, string>, args = ['--json']): Promise<DoctorRun> {
  const command = path.join(import.meta.dirname, '../doctor/command.ts')
  const env = { ...process.env, PORT: '0', ...environment }
  const { code, stdout } = await promisify(execFile)(process.execPath, [command, ...args], { env }).then(
    ({ stdout: text }) => ({ code: 0, stdout: text }),
    (error: { code: number; stdout: string }) => error,
  )
  const isJson = args.includes('--json')
  return {
    code,
    output: stdout,
    findings: isJson ? (JSON.parse(stdout) as { findings: Finding[] }).findings : [],
  }
}

/** A database and a folder that the command looks at. */
export async function startPatient() {
  const server = await startTestServer()
  const folder = await openFolder()
  return {
    server,
    folder,
    doctor: (environment: Record<string, string>, args?: string[]) =>
      askDoctor({ DATABASE_URL: server.ownerUrl, DATA_DIR: folder, ...environment }, args),
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
