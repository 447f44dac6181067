import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import os from 'node:os'
import { refuse } from '../../platform/errors.ts'
import { fairSemaphore } from '../../platform/fair-semaphore.ts'

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const tagLength = 32

const slots = os.availableParallelism()
/** At most one hash per core and a short queue: a flood of sign-ins costs waiting time, never the memory of the server. */
const turns = fairSemaphore({
  places: slots,
  waitingAtMost: Math.max(64, slots * 16),
  tooMany: () => refuse('unavailable', { retryAfter: 2 }),
})

type IsGone = () => boolean
type Cost = { memory: number; passes: number; parallelism: number }

async function inTurn<T>(work: () => Promise<T>, gone: IsGone): Promise<T> {
  const leave = await turns.take()
  try {
    if (gone()) throw refuse('timeout')
    return await work()
  } finally {
    leave()
  }
}

function derive(password: string, salt: Buffer, { memory, passes, parallelism }: Cost): Promise<Buffer> {
  const parameters = {
    message: Buffer.from(password),
    nonce: salt,
    parallelism,
    tagLength,
    memory,
    passes,
  }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)))
  })
}

function phc(salt: Buffer, tag: Buffer): string {
  const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${plain(salt)}$${plain(tag)}`
}

const stays: IsGone = () => false

/** PHC string of argon2id over the exact UTF-8 bytes. Refuses with 503 when too many wait. */
export async function hashPassword(password: string, gone: IsGone = stays): Promise<string> {
  const salt = randomBytes(16)
  return phc(salt, await inTurn(() => derive(password, salt, cost), gone))
}

/** What is compared when nobody has the address: as costly as a real one, and nothing fits it. */
const nobody = phc(randomBytes(16), randomBytes(tagLength))

/** Whether the password belongs to the hash. Without a hash it takes the same time and says no. */
export async function verifyPasswordHash(
  password: string,
  stored: string | null,
  gone: IsGone = stays,
): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored ?? nobody)
  if (!parts) throw new Error('A stored password hash is not readable.')
  const [, memory, passes, parallelism, salt = '', tag = ''] = parts
  const used = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const expected = Buffer.from(tag, 'base64')
  const given = await inTurn(() => derive(password, Buffer.from(salt, 'base64'), used), gone)
  return stored !== null && expected.length === given.length && timingSafeEqual(expected, given)
}
