import { existsSync } from 'node:fs'
import type { Env } from '../platform/env.ts'
import { keysOf, secretFiles, secretIn } from '../platform/keys.ts'
import type { Manifest } from './manifest.ts'

type Where = Pick<Env, 'secretKey' | 'secretKeyFile' | 'dataDir'>

/** Whether it lies with the data, and not in the environment. */
export const isInDataDir = ({ secretKey, secretKeyFile }: Where): boolean => !secretKey && !secretKeyFile

function secretOf(env: Where): string | undefined {
  if (env.secretKey) return env.secretKey
  const { present } = secretFiles(env)
  return existsSync(present) ? secretIn(present) : undefined
}

/** The same for the same secret, and tells nothing else about it; null without one. */
export function signOf(env: Where): string | null {
  const secret = secretOf(env)
  return secret === undefined ? null : keysOf(secret).sign('backup', 'the same secret')
}

/** With another secret, links in mails would be dead and sealed second factors too: throws a sentence before anything is written. */
export function requireSecret({ secret, secretSign }: Manifest, env: Env): void {
  if (secret === 'included' && !isInDataDir(env))
    throw new Error('The backup brings its secret along: restore it without SECRET_KEY and SECRET_KEY_FILE.')
  if (secret === 'apart' && secretSign !== null && secretSign !== signOf(env))
    throw new Error(
      isInDataDir(env)
        ? 'The secret of the installation is not in this backup. Give it in SECRET_KEY or SECRET_KEY_FILE as before, or put the file secret-key back into DATA_DIR.'
        : 'SECRET_KEY is not that of the installation which this backup was made of.',
    )
}
