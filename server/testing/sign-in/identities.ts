import { vi } from 'vitest'
import { login, type SignInAnswer } from '#contract/identity/auth.ts'
import type { Role } from '#contract/roles.ts'
import type { SystemSecurity } from '#contract/identity/security.ts'
import { defaultSecurity } from '#contract/identity/security.ts'
import { hashPassword } from '../../identity/password/hash.ts'
import type { Answer, Person, TestServer } from '../server.ts'

type Headers = Record<string, string>
export type Identities = ReturnType<typeof identities>

export const password = 'seven wet dogs in a boat'
let networks = 0
let hash: Promise<string> | undefined

/** A network of one's own, so that tests do not use up each other's tries. */
export function network(): Headers {
  networks += 1
  return { 'x-forwarded-for': `10.${40 + Math.floor(networks / 250)}.${networks % 250}.7` }
}

/** The browser that an answer has named, as it names itself from then on. */
export function browserOf(answer: { headers: Record<string, unknown> }): Headers {
  const given = answer.headers['set-cookie']
  const [cookie = ''] = typeof given === 'string' ? given.split(';') : []
  return { cookie }
}

/** People with a password, and what they find in their mail. */
export function identities(server: TestServer) {
  const change = (statement: string, values: unknown[] = []) =>
    server.services.db.system.query(statement, values)

  async function mailsTo(address: string): Promise<{ subject: string; text: string }[]> {
    const found = await change('select subject, text from mails where address = $1 order by id desc', [
      address,
    ])
    return found.rows as { subject: string; text: string }[]
  }
  return {
    change,
    mailsTo,
    async somebody(role: Role | null = 'admin', organizationId?: string | null): Promise<Person> {
      const home = role === 'superadmin' ? null : (organizationId ?? (await server.organization()))
      const person = await server.person(role, home)
      hash ??= hashPassword(password)
      await change('update users set password_hash = $2 where id = $1', [person.id, await hash])
      return person
    },
    enter: (identifier: string, given = password, headers = network()): Promise<Answer<typeof login>> =>
      server.call(login, { body: { identifier, password: given }, headers }),
    /** Subjects without the product's name, newest first, as soon as there are as many. */
    async subjectsTo(address: string, atLeast = 0): Promise<string[]> {
      return vi.waitFor(async () => {
        const subjects = (await mailsTo(address)).map((mail) => mail.subject.replace(' – Sendreel', ''))
        if (subjects.length < atLeast) throw new Error(`only ${subjects.join(', ')}`)
        return subjects
      })
    },
    /** The code of the newest mail, as soon as there are as many. */
    async mailedCode(address: string, nth = 1): Promise<string> {
      return vi.waitFor(async () => {
        const mails = (await mailsTo(address)).filter(({ text }) => /^ {4}\d{6}$/m.test(text))
        if (mails.length < nth) throw new Error('no mail yet')
        return /^ {4}(\d{6})$/m.exec(mails[0]?.text ?? '')?.[1] ?? ''
      })
    },
    async policy(security: Partial<SystemSecurity>): Promise<void> {
      await change(
        `insert into system_settings (security) values ($1) on conflict (id) do update set security = excluded.security`,
        [JSON.stringify({ ...defaultSecurity, ...security })],
      )
    },
    /** An authenticator app, as far as signing in asks whether there is one. */
    async giveFactor(userId: string): Promise<void> {
      await change(`insert into totp_factors (user_id, secret_sealed, last_step) values ($1, '\\x00', 0)`, [
        userId,
      ])
    },
  }
}

/** What an answer says in one word. */
export function said(answer: { body: unknown; problem: { code: string } | undefined }): string {
  return answer.problem?.code ?? (answer.body as Partial<SignInAnswer>).status ?? 'done'
}
