import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  hideAlert,
  listFailedMails,
  readDashboardAlerts,
  readDashboardLate,
  readDashboardWork,
  readInstallation,
  showAlert,
  FailedMail,
} from '#contract/dashboard.ts'
import { discardSetAside, readSetAside, trySetAsideAgain } from '#contract/platform/aside.ts'
import { readOrganizationOverview } from '#contract/directory/overview.ts'
import { readJobs, readStorage, retryJob } from '#contract/platform/upkeep.ts'
import type { Tx } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { alertsOf } from './alerts.ts'
import { discardItem, listSetAside, tryItemAgain } from './aside.ts'
import { requireOrganization } from '../directory/organizations/queries.ts'
import { hide, show } from './hidden.ts'
import { installationOf } from './installation.ts'
import { jobsOf, tryAgain } from './jobs.ts'
import { lateOf } from './late.ts'
import { overviewOf } from './overview.ts'
import { storageOf } from './storage.ts'
import { workOf } from './work.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { readList } from '../platform/http/lists/list.ts'
import { failedMails } from '../alerts/sending.ts'

/** Null: all organizations, for superadmins. Refuses another organization than one's own, and one that is not there. */
async function placeOf(tx: Tx, caller: Caller, asked: string | undefined): Promise<string | null> {
  const wanted = caller.organizationId ?? asked
  if (asked !== undefined && asked !== wanted) throw refuse('not_found')
  if (wanted === undefined) return null
  await requireOrganization(tx, wanted)
  return wanted
}

export function dashboardRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(readOrganizationOverview, ({ tx, caller, params }) => overviewOf(tx, caller, params.orgId))

  mount(readDashboardWork, async ({ tx, caller, query }) =>
    workOf(tx, caller, await placeOf(tx, caller, query.organizationId)),
  )

  mount(readDashboardLate, async ({ tx, caller, query }) =>
    lateOf(tx, caller, await placeOf(tx, caller, query.organizationId)),
  )

  mount(readDashboardAlerts, async ({ tx, caller, query }) => ({
    items: await alertsOf(tx, caller, await placeOf(tx, caller, query.organizationId)),
  }))

  mount(listFailedMails, async ({ tx, caller, query, request }) =>
    findFailedMails(tx, {
      organizationId: await placeOf(tx, caller, query.organizationId),
      query,
      request,
    }),
  )

  mount(hideAlert, async ({ tx, caller, request, params: { kind }, body }) => {
    const organizationId = await placeOf(tx, caller, body.organizationId)
    const items = await alertsOf(tx, caller, organizationId)
    const count = items.find((item) => item.kind === kind)?.count ?? 0
    const matter = { ownerId: caller.userId, organizationId, kind }
    const until = await hide(tx, matter, { days: body.days, count })
    const about = { organizationId, entity: 'attention', entityId: null } as const
    await audit(
      tx,
      { caller, request },
      { ...about, action: 'attention.hidden', after: { kind, count, until } },
    )
    return {}
  })

  mount(showAlert, async ({ tx, caller, request, params: { kind }, query }) => {
    const organizationId = await placeOf(tx, caller, query.organizationId)
    const wasHidden = await show(tx, { ownerId: caller.userId, organizationId, kind })
    const about = { organizationId, entity: 'attention', entityId: null } as const
    if (wasHidden)
      await audit(tx, { caller, request }, { ...about, action: 'attention.shown', before: { kind } })
    return {}
  })

  mount(readInstallation, ({ tx }) => installationOf(tx, services))

  mount(readStorage, () => storageOf(services))

  mount(readSetAside, ({ tx }) => listSetAside(tx))
  mount(trySetAsideAgain, ({ tx, caller, request, params }) =>
    tryItemAgain(tx, services, { asideId: params.asideId, by: { caller, request } }),
  )
  mount(discardSetAside, ({ tx, caller, request, params }) =>
    discardItem(tx, { asideId: params.asideId, by: { caller, request } }),
  )

  mount(readJobs, ({ tx }) => jobsOf(tx))

  mount(retryJob, ({ tx, params: { jobId }, caller, request }) =>
    tryAgain(tx, services, { jobId, by: { caller, request } }),
  )
}

type FailedMailsQuery = {
  organizationId: string | null
  query: ParsedQuery<typeof listFailedMails>
  request: FastifyRequest
}

/** The mails that the dashboard counts, without what is in them: that may be a code. */
function findFailedMails(tx: Tx, { organizationId, query, request }: FailedMailsQuery) {
  return readList(tx, {
    query,
    request,
    Row: FailedMail,
    columns: sql`m.id, m.address as "to", m.subject, m.last_error as error, ${isoText(sql`m.created_at`)} as "createdAt",
      o.id as "organizationId", o.name as "organizationName"`,
    from: sql`mails m join organizations o on o.id = m.organization_id`,
    where: sql`m.id in (select f.id from (${failedMails(organizationId)}) f)`,
    order: { by: sql`m.created_at`, id: sql`m.id`, type: 'timestamptz', descending: true },
  })
}
