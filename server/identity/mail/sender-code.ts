import { randomInt } from 'node:crypto'
import * as z from 'zod/mini'
import { languages } from '#contract/platform/text/languages.ts'
import { arrayOf, asSystem, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import type { Keys } from '../../platform/keys.ts'
import { sayIn } from '../../platform/messages.ts'
import { senderMailLimits, takeTry } from '../limit.ts'
import { takeNamed } from '../mail-limits.ts'
import { compose, greeting } from '../mails.ts'

const codeMinutes = 60
const tries = 5

type Sealed = { orgId: string; address: string; code: string }

/** A code fits only the organization and the address that it was made for; also one that was made with the secret before. */
const hashesOf = (keys: Keys, { orgId, address, code }: Sealed) =>
  keys
    .signatures('sender-code', `${orgId} ${address} ${code}`)
    .map((signature) => Buffer.from(signature, 'base64url').toString('hex'))

const Named = z.object({ name: z.string(), language: z.enum(languages) })

/** Whoever reads there may know nothing of it: the mail says who wants what, and comes from the installation. */
export async function mailCode(
  tx: Tx,
  services: Services,
  { orgId, address }: Omit<Sealed, 'code'>,
): Promise<void> {
  const { env, keys } = services
  await asSystem(tx, async () => {
    await takeTry(tx, senderMailLimits(keys, orgId))
    await takeNamed(tx, { keys, emails: [address.toLowerCase()] })
  })
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const [hash = ''] = hashesOf(keys, { orgId, address, code })
  await tx.execute(sql`update mail_senders set code_hash = decode(${hash}, 'hex'), tries_left = ${tries},
      code_until = now() + make_interval(mins => ${codeMinutes}), updated_at = now()
    where organization_id = ${orgId} and address = ${address} and verified_at is null`)
  const { name, language } = await requireRow(
    tx,
    Named,
    sql`select name, language from organizations where id = ${orgId}`,
  )
  const say = sayIn(language, 'account')
  const title = say('sender_subject')
  const mail = compose(env, {
    language,
    subject: `${title} – ${env.productName}`,
    title,
    lines: [greeting(say, null), say('sender', { organization: name, product: env.productName })],
    code,
    end: say('senderEnd', { minutes: String(codeMinutes) }),
  })
  await queueMail(services, tx, { organizationId: orgId, address, ...mail })
}

const Waiting = z.object({ address: z.string() })
const Tried = z.object({ isRight: z.boolean(), address: z.string() })

/** One statement compares, and takes a try away: no number of requests at once gets more. Undefined: no code counts. */
export async function tryCode(
  tx: Tx,
  { keys }: Services,
  { orgId, code }: Omit<Sealed, 'address'>,
): Promise<z.infer<typeof Tried> | undefined> {
  const waiting = await row(
    tx,
    Waiting,
    sql`select address from mail_senders where organization_id = ${orgId}`,
  )
  if (!waiting) return undefined
  const { address } = waiting
  const isRight = sql`(encode(code_hash, 'hex') = any(${arrayOf(hashesOf(keys, { orgId, address, code }), 'text')}))`
  return row(
    tx,
    Tried,
    sql`with was as (select organization_id, ${isRight} as right from mail_senders
        where organization_id = ${orgId} and address = ${address} and verified_at is null and code_until > now() and tries_left > 0 for update)
      update mail_senders s set tries_left = s.tries_left - 1, updated_at = now(),
        verified_at = case when was.right then now() end, code_hash = case when was.right then null else s.code_hash end,
        code_until = case when was.right then null else s.code_until end
      from was where s.organization_id = was.organization_id
      returning was.right as "isRight", s.address`,
  )
}
