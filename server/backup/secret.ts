import type { Env } from '../platform/env.ts'
import { givenKeys, keysOf, secretMarks, type Keys } from '../platform/keys.ts'
import { buffer as bufferOf } from 'node:stream/consumers'
import type { Store } from '../platform/storage/store.ts'
import { contentOf, type Manifest, type StoredFile } from './manifest.ts'
import { readSealed, type Measured, type Unseal } from './seal.ts'

type Where = Pick<Env, 'secretKey' | 'secretKeyPrevious' | 'secretKeyFile' | 'dataDir'>

/** Whether it lies with the data, and not in the environment. */
export const isInDataDir = ({ secretKey, secretKeyFile }: Where): boolean => !secretKey && !secretKeyFile

/** What the installation is asked by whose its backups are, where they do not name it; null without a secret. */
export function signOf(env: Where): string | null {
  const keys = givenKeys(env)
  return keys === undefined ? null : (secretMarks(keys)[0] ?? null)
}

/** Whether the secret of this sign, or the one that followed it, is here. */
export function isSecretOf(secretSign: string, env: Where): boolean {
  const keys = givenKeys(env)
  return keys !== undefined && secretMarks(keys).includes(secretSign)
}

/** With another secret, links in mails would be dead and sealed second factors too: throws a sentence before anything is written. */
export function requireSecret({ secret, secretSign, kind }: Manifest, env: Where, isForeign: boolean): void {
  if (secretSign === null || isSecretOf(secretSign, env)) return
  if (secret === 'included' && !isInDataDir(env))
    throw new Error('The backup brings its secret along: restore it without SECRET_KEY and SECRET_KEY_FILE.')
  if (secret === 'apart' && !isForeign)
    throw new Error(
      isInDataDir(env)
        ? `The secret of the installation is not in this backup. Give it in SECRET_KEY or SECRET_KEY_FILE as before${kind === 'database' ? ', or put the file secret-key back into DATA_DIR' : ''}. If it is gone for good, --foreign restores without it; then “npm run rotate-secret -- --lost” takes another.`
        : 'SECRET_KEY is not that of the installation which this backup was made of. If that is gone for good, --foreign restores without it; then “npm run rotate-secret -- --lost” takes another.',
    )
}

type Reading = { store: Store; recipient: string | null; unseal: Unseal }
const mostBytes = 10_000

/** The keys of the secret that lies among the files of a backup; undefined where none does, or where it is damaged. */
export async function broughtKeys(files: readonly StoredFile[], reading: Reading): Promise<Keys | undefined> {
  const secretIn = async (name: string) => {
    const file = files.find((one) => one.path === name)
    return file && (await contentIn(file, reading).catch(() => undefined))
  }
  const present = await secretIn('secret-key')
  return present === undefined ? undefined : keysOf(present, await secretIn('secret-key.previous'))
}

async function contentIn(
  file: StoredFile,
  { store, recipient, unseal }: Reading,
): Promise<string | undefined> {
  const measured: Partial<Measured> = {}
  const most = Math.min(file.size, mostBytes)
  const bytes = await readSealed(store, contentOf(recipient, file.sha256), { unseal, measured, most })
  const text = (await bufferOf(bytes)).toString('utf8').trim()
  return measured.sha256 === file.sha256 ? text : undefined
}
