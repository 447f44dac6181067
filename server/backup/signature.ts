import { hash } from 'node:crypto'
import type { BackupOrigin } from '#contract/backup.ts'
import { canonical } from '#contract/platform/text/canonical.ts'
import type { Keys } from '../platform/keys.ts'
import { damageOf } from './restore/damage.ts'
import { nameAt, names, type Description, type Manifest } from './manifest.ts'

const purpose = 'backup-manifest'

/** What is signed: the description without its signature, member by member, also those that another release has added. */
const digestOf = (manifest: object): string =>
  hash('sha256', canonical(Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== 'mac'))))

export const macOf = (keys: Keys, manifest: Manifest): string => keys.sign(purpose, digestOf(manifest))

/** What stands under a description, and what it is made of. */
export type Signed = { mac: string | undefined; digest: string }

export const signedIn = ({ manifest, given }: Description): Signed => ({
  mac: manifest.mac,
  digest: digestOf(given),
})

/** Signed with the secret of these keys, or with the one before. */
export function originOf({ mac, digest }: Signed, keys: Keys | undefined): BackupOrigin {
  if (mac === undefined) return 'unsigned'
  if (keys === undefined) return 'unknown'
  return keys.verify(purpose, digest, mac) ? 'ours' : 'foreign'
}

/** An older one that was laid in the place of a newer is as genuine as that. Copies may have a name of their own. */
export function requireName(name: string, { startedAt }: Manifest): void {
  const own = nameAt(new Date(startedAt))
  if (names.test(name) && name !== own)
    throw damageOf(`The folder ${name} has the description of another backup, which is called ${own}.`)
}
