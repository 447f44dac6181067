import * as z from 'zod/mini'
import { deviceName } from '#contract/platform/devices.ts'
import { arrayOf, hasRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { deviceOf } from '../../platform/http/agent.ts'

export const StoredPasskey = z.object({
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  credentialId: z.string(),
  publicKey: z.instanceof(Buffer),
  transports: z.array(z.string()),
})
export type StoredPasskey = z.infer<typeof StoredPasskey>

const columns = sql`id, user_id as "userId", name, credential_id as "credentialId", public_key as "publicKey", transports`

export function passkeysOf(tx: Tx, userId: string): Promise<StoredPasskey[]> {
  return rows(tx, StoredPasskey, sql`select ${columns} from passkeys where user_id = ${userId}`)
}

export function findPasskey(tx: Tx, credentialId: string): Promise<StoredPasskey | undefined> {
  return row(tx, StoredPasskey, sql`select ${columns} from passkeys where credential_id = ${credentialId}`)
}

/** More than anybody carries. */
const mostPasskeys = 20

type NewPasskey = Omit<StoredPasskey, 'id'> & { counter: number; backedUp: boolean }

export async function storePasskey(tx: Tx, passkey: NewPasskey): Promise<void> {
  const known = await passkeysOf(tx, passkey.userId)
  if (known.length >= mostPasskeys)
    throw refuse('conflict', { reason: { code: 'too_many_passkeys', params: { most: mostPasskeys } } })
  const { userId, credentialId, publicKey, counter, transports, backedUp, name } = passkey
  const stored = await hasRow(
    tx,
    sql`insert into passkeys (user_id, credential_id, public_key, counter, transports, backed_up, name)
      values (${userId}, ${credentialId}, ${publicKey}, ${counter}, ${arrayOf(transports, 'text')}, ${backedUp}, ${name})
      on conflict do nothing returning 1`,
  )
  if (!stored) throw refuse('already_exists', { reason: { code: 'passkey_known' } })
}

/**
 * Notes the use. False when its counter has not grown: somebody holds a copy. Passkeys that are kept on several devices do
 * not count, and stay at zero.
 */
export async function usePasskey(
  tx: Tx,
  passkey: { id: string },
  { counter, backedUp }: { counter: number; backedUp: boolean },
): Promise<boolean> {
  return hasRow(
    tx,
    sql`update passkeys set counter = ${counter}, backed_up = ${backedUp}, last_used_at = now()
      where id = ${passkey.id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0)) returning 1`,
  )
}

/** Where passkeys are kept, by the AAGUID that the keeper puts into them. */
const keepers: Record<string, string> = {
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'iCloud Keychain',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
}

/** What its owner will recognize it by; they may rename it. */
export function guessName(aaguid: string, userAgent: string | null): string {
  const device = deviceOf(userAgent)
  const isKnown = device.browser !== null || device.system !== null
  return keepers[aaguid] ?? (isKnown ? deviceName(device) : 'Passkey')
}
