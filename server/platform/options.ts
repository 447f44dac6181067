import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

export type Options = {
  demo: boolean
  /** Migrate a database with data without a backup before. */
  noBackup: boolean
  /** Bring the tables up to date and end, before many processes start at once. */
  migrateOnly: boolean
  superadmin?: { email: string; password: string }
}

/** What stands behind `npm start --`: the unattended set-up, or the demo. Throws a sentence for people. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      demo: { type: 'boolean' },
      'no-backup': { type: 'boolean' },
      migrate: { type: 'boolean' },
      superadmin: { type: 'string' },
      'password-file': { type: 'string' },
    },
  })
  const demo = values.demo ?? false
  const noBackup = values['no-backup'] ?? false
  const migrateOnly = values.migrate ?? false
  if (values.superadmin === undefined) {
    if (values['password-file'] !== undefined)
      throw new Error('--password-file goes with --superadmin <email>.')
    return { demo, noBackup, migrateOnly }
  }
  const file = values['password-file']
  if (file === undefined) throw new Error('--superadmin <email> goes with --password-file <file>.')
  const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  return { demo, noBackup, migrateOnly, superadmin: { email: values.superadmin, password } }
}
