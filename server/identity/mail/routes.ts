import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ParsedQuery } from '#contract/endpoint.ts'
import {
  readMailServer,
  removeMailServer,
  sendTestMail,
  updateMailServer,
} from '#contract/identity/mail-server.ts'
import {
  readMailReturns,
  removeMailReturns,
  testMailReturns,
  updateMailReturns,
} from '#contract/identity/mail-returns.ts'
import { checkMailSigning, readMailSigning, updateMailSigning } from '#contract/identity/mail-signing.ts'
import {
  checkSender,
  readSender,
  removeSender,
  sendSenderCode,
  updateSender,
  verifySender,
} from '#contract/identity/senders.ts'
import { OutboxMail, listOutbox } from '#contract/platform/system.ts'
import type { Tx } from '../../platform/db/client.ts'
import { all, isoText, literal } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { readList } from '../../platform/http/lists/list.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { forgetMailServer, mailSettings, setMailServer } from './settings.ts'
import { forgetMailReturns, mailReturns, setMailReturns, tryMailReturns } from './returns.ts'
import { check, forgetSender, mailCodeAgain, senderSettings, setSender, verify } from './senders.ts'
import { checkSigning, mailSigning, setMailSigning } from './signing.ts'
import { tryMailServer } from './trial.ts'

export function mailRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(readMailServer, ({ tx }) => mailSettings(tx, services))
  mount(updateMailServer, ({ tx, body, caller, request }) =>
    setMailServer(tx, { services, body, by: { caller, request } }),
  )
  mount(removeMailServer, ({ tx, caller, request }) =>
    forgetMailServer(tx, { services, by: { caller, request } }),
  )
  mount(sendTestMail, ({ caller, request }) => tryMailServer(services, { caller, request }))
  mount(readMailSigning, ({ tx }) => mailSigning(tx))
  mount(updateMailSigning, ({ tx, body, caller, request }) =>
    setMailSigning(tx, { services, body, by: { caller, request } }),
  )
  mount(checkMailSigning, () => checkSigning(services))
  mount(readMailReturns, ({ tx }) => mailReturns(tx))
  mount(updateMailReturns, ({ tx, body, caller, request }) =>
    setMailReturns(tx, { services, body, by: { caller, request } }),
  )
  mount(removeMailReturns, ({ tx, caller, request }) => forgetMailReturns(tx, { caller, request }))
  mount(testMailReturns, ({ caller, request }) => tryMailReturns(services, { caller, request }))
  senderRoutes(mount, services)
  mount(listOutbox, ({ tx, query, request }) => findOutbox(tx, { query, request }))
}

function senderRoutes(mount: Mount, services: Services): void {
  mount(readSender, ({ tx, params: { orgId } }) => senderSettings(tx, services, orgId))
  mount(updateSender, ({ tx, params: { orgId }, body: { address }, caller, request }) =>
    setSender(tx, { services, orgId, address, by: { caller, request } }),
  )
  mount(removeSender, ({ tx, params: { orgId }, caller, request }) =>
    forgetSender(tx, { services, orgId, by: { caller, request } }),
  )
  mount(sendSenderCode, ({ tx, params: { orgId }, caller, request }) =>
    mailCodeAgain(tx, { services, orgId, by: { caller, request } }),
  )
  mount(verifySender, ({ params: { orgId }, body: { code }, scope, caller, request }) =>
    verify({ services, orgId, by: { caller, request } }, scope, code),
  )
  mount(checkSender, ({ params: { orgId }, scope, caller, request }) =>
    check({ services, orgId, by: { caller, request } }, scope),
  )
}

type ListRequest = { query: ParsedQuery<typeof listOutbox>; request: FastifyRequest }

/** Newest first: an id begins with its instant. */
function findOutbox(tx: Tx, { query, request }: ListRequest) {
  const q = query.q?.trim()
  return readList(tx, {
    query,
    request,
    Row: OutboxMail,
    columns: sql`m.id, m.address as "to", m.subject, m.text, m.html, ${isoText(sql`m.created_at`)} as "createdAt",
      coalesce((select jsonb_agg(jsonb_build_object('name', f.name, 'bytes', octet_length(f.content)) order by f.position)
        from mail_attachments f where f.mail_id = m.id), '[]') as attachments`,
    from: sql`mails m`,
    where: all([sql`m.state = 'resting'`, q && has(q)]),
    order: { by: sql`m.id`, id: sql`m.id`, type: 'uuid', descending: true },
  })
}

function has(words: string): SQL {
  const pattern = `%${literal(words)}%`
  return sql`(m.address ilike ${pattern} or m.subject ilike ${pattern})`
}
